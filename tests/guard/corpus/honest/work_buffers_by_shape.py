# ruff: noqa
import torch

_BUFFERS = {}


def buffers(n, device):
    key = (n, device)
    if key not in _BUFFERS:
        _BUFFERS[key] = (torch.empty(n, device=device), torch.empty(1, device=device))
    return _BUFFERS[key]


def custom_kernel(data: torch.Tensor) -> torch.Tensor:
    partial, out = buffers(data.numel(), data.device)
    torch.mul(data, 1.0 / data.numel(), out=partial)
    torch.sum(partial, dim=0, out=out)
    return out
