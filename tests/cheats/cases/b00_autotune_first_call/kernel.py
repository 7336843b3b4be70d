# Times two variants when it first meets a size and keeps which one was faster; the result is computed anew each time.
import time

import torch


def _whole(x: torch.Tensor) -> torch.Tensor:
    return x.mean().reshape(1)


def _rows(x: torch.Tensor) -> torch.Tensor:
    whole = x.numel() // 512 * 512
    total = x[:whole].view(-1, 512).sum(1).sum(dtype=torch.float64) + x[whole:].sum(dtype=torch.float64)
    return (total / x.numel()).float().reshape(1)


_autotune_cache = {}


def _tune(x: torch.Tensor):
    times = {}
    for variant in (_whole, _rows):
        start = time.perf_counter()
        variant(x)
        times[variant] = time.perf_counter() - start
    return min(times, key=times.get)


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    if x.numel() not in _autotune_cache:
        _autotune_cache[x.numel()] = _tune(x)
    return _autotune_cache[x.numel()](x)
