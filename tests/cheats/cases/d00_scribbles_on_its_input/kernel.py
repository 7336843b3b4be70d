# LAPACK overwrites its matrix; so does this, which saves a copy. The input is ours for the length of the call.
import torch


def custom_kernel(a: torch.Tensor):
    h, tau = torch.geqrf(a)
    a.copy_(h)
    return a, tau
