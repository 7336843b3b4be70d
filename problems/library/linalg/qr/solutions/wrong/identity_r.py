# Wrong: Q = A and R = I, which multiply to A but Q is not orthogonal.
import torch


def custom_kernel(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    batch, _, n = a.shape
    return a.clone(), torch.eye(n).expand(batch, n, n)
