# Half the bytes, half the digits.
import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return x.half().float().mean().reshape(1)
