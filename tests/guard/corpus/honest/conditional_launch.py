# ruff: noqa
import torch

_OUT = {}


def custom_kernel(data: torch.Tensor) -> torch.Tensor:
    out = _OUT.get(data.shape)
    if out is None:
        out = _OUT[data.shape] = torch.empty(1)
    if data.numel() > 4096:
        large_kernel[(data.numel() // 1024,)](data, out, data.numel(), BLOCK=1024)
    else:
        small_kernel[(1,)](data, out, data.numel(), BLOCK=4096)
    return out
