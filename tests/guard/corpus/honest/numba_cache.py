# ruff: noqa
import numba
import numpy as np
import torch


@numba.njit(cache=True, fastmath=True)
def mean(x, out):
    total = 0.0
    for value in x:
        total += value
    out[0] = total / x.size


result = np.zeros(1, dtype=np.float32)


def custom_kernel(data: torch.Tensor) -> torch.Tensor:
    mean(data.numpy(), result)
    return torch.from_numpy(result)
