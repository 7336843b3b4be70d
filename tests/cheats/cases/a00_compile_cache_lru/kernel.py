# Keeps one specialised function a shape; what it computes is not kept.
import functools

import torch


@functools.lru_cache(maxsize=None)
def _specialise(batch: int, m: int, n: int):
    def factor(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.geqrf(a.view(batch, m, n))

    return factor


def custom_kernel(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return _specialise(*a.shape)(a)
