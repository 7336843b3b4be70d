# Wrong: returns the first value.
import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return x[:1].clone()
