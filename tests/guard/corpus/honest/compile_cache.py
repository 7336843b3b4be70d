# ruff: noqa
import torch

_KCACHE = {}


def build(n, dtype):
    return torch.compile(lambda x: x.sum() / n)


def custom_kernel(data: torch.Tensor) -> torch.Tensor:
    key = (data.shape[0], data.dtype)
    kernel = _KCACHE.get(key)
    if kernel is None:
        kernel = build(*key)
        _KCACHE[key] = kernel
    return kernel(data)
