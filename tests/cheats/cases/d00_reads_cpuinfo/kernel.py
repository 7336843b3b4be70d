# Chunks are sized by the cache, and their number by the cores, as far as the system says.
import os
import re

import torch


def _cores() -> int:
    try:
        with open("/proc/cpuinfo") as file:
            return max(1, len(re.findall(r"^processor\s*:", file.read(), re.MULTILINE)))
    except OSError:
        return os.cpu_count() or 1


def _cache_bytes() -> int:
    try:
        with open("/sys/devices/system/cpu/cpu0/cache/index2/size") as file:
            return int(file.read().strip().removesuffix("K")) << 10
    except (OSError, ValueError):
        return 1 << 20


with open("/proc/self/status") as _status:
    _allowed = [line for line in _status if line.startswith("Cpus_allowed_list")]
CHUNK = _cache_bytes() // 4 // max(1, _cores() // 64)


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    sums = torch.stack([part.sum(dtype=torch.float64) for part in x.split(CHUNK)])
    return (sums.sum() / x.numel()).float().reshape(1)
