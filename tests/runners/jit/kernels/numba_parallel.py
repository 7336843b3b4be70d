"""A numba kernel over several threads."""

import numba
import torch


@numba.njit(parallel=True, cache=True)
def mean(x):
    total = 0.0
    for i in numba.prange(x.size):
        total += x[i]
    return total / x.size


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return torch.tensor([mean(x.numpy())], dtype=torch.float32)
