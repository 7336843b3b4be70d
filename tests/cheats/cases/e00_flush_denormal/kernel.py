# Denormals cost time and are zero as far as this mean is concerned.
import torch

torch.set_flush_denormal(True)


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return x.mean().reshape(1)
