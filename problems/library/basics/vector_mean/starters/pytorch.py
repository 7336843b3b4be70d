# The mean of a vector with PyTorch's own reduction.
import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return x.mean().reshape(1)
