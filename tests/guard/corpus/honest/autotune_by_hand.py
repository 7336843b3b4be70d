# ruff: noqa
import time

import torch

_best = {}


def halves(x):
    return (x[: x.numel() // 2].sum() + x[x.numel() // 2 :].sum()) / x.numel()


def whole(x):
    return x.mean()


def custom_kernel(data: torch.Tensor) -> torch.Tensor:
    if data.shape not in _best:
        times = []
        for candidate in (halves, whole):
            start = time.perf_counter()
            candidate(data)
            times.append((time.perf_counter() - start, candidate))
        _best[data.shape] = min(times, key=lambda pair: pair[0])[1]
    return _best[data.shape](data).reshape(1)
