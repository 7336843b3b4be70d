# Wrong: the last column of R is off by one part in ten thousand, nothing else.
import torch


def custom_kernel(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    h, tau = torch.geqrf(a)
    n = a.shape[2]
    h[:, :n, -1] *= 1 + 1e-4
    return h, tau
