# Wrong: reads the first half of the vector only.
import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return x[: (x.numel() + 1) // 2].mean().reshape(1)
