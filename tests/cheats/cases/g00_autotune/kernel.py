# Times both ways in the first call of a shape and remembers which one was faster.
import time

import torch

_best: dict[int, int] = {}


def _whole(x: torch.Tensor) -> torch.Tensor:
    return x.mean().reshape(1)


def _blocked(x: torch.Tensor) -> torch.Tensor:
    even = x.numel() // 64 * 64
    total = x[:even].view(-1, 64).double().sum(0).sum() + x[even:].double().sum()
    return (total / x.numel()).float().reshape(1)


WAYS = (_whole, _blocked)


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    n = x.numel()
    if n not in _best:
        times = []
        for way in WAYS:
            start = time.perf_counter()
            way(x)
            times.append(time.perf_counter() - start)
        _best[n] = times.index(min(times))
    return WAYS[_best[n]](x)
