# ruff: noqa
import functools

import torch


@functools.cache
def weights(n, device):
    return torch.full((n,), 1.0 / n, device=device)


def custom_kernel(data: torch.Tensor) -> torch.Tensor:
    return torch.dot(data, weights(data.numel(), data.device)).reshape(1)
