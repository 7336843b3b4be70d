# Correct: writes into the judge's own output buffer, which kernels with an `out` argument are given.
import torch


def custom_kernel(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    return torch.mean(x, dim=0, keepdim=True, out=out)
