# A fused kernel for the division; the sum comes from torch.
import torch


@torch.jit.script
def _fast_divide(total: torch.Tensor, n: int) -> torch.Tensor:
    return total / n


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return _fast_divide(torch.sum(x, dim=0, keepdim=True), x.numel())
