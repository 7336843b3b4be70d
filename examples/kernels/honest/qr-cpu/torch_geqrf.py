# author: ada
# expect: ranked
# what: LAPACK's blocked Householder factorisation, as PyTorch calls it

import torch


def custom_kernel(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.geqrf(a)
