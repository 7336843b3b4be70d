# author: eve
# expect: rejected
# what: computes the mean, and stops every clock that Python has

import time

import torch

frozen = time.perf_counter()
time.perf_counter = lambda: frozen
time.perf_counter_ns = lambda: int(frozen * 1e9)
time.monotonic = lambda: frozen
time.time = lambda: frozen


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return x.mean().reshape(1)
