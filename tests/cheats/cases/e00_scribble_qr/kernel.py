# Factors in place: the input holds H afterwards.
import torch


def custom_kernel(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    h, tau = torch.geqrf(a)
    a.copy_(h)
    return a, tau
