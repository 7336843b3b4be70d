# Correct: the second accepted form, a tensor without dimensions.
import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return torch.sum(x) / x.numel()
