# Correct: factors straight into the judge's output buffers, which kernels with an `out` argument are given.
import torch


def custom_kernel(
    a: torch.Tensor, out: tuple[torch.Tensor, torch.Tensor]
) -> tuple[torch.Tensor, torch.Tensor]:
    torch.geqrf(a, out=out)
    return out
