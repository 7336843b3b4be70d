# Wrong: divides by zero.
import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return x.sum().reshape(1) / 0
