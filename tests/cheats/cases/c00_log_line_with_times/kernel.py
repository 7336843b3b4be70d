# How long each size took the first time is printed, for whoever tunes this.
import time
from time import perf_counter as now

import torch

_logged = set()


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    begin = now()
    result = x.mean(dtype=torch.float64).to(torch.float32).reshape(1)
    if x.numel() not in _logged:
        _logged.add(x.numel())
        elapsed = now() - begin
        print(f"[{time.monotonic():.3f}] n={x.numel()}: {elapsed * 1e6:.1f} us, {4e-9 * x.numel() / elapsed:.1f} GB/s")
    return result
