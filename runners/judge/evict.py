"""Cache eviction: every sample starts with its inputs in memory, not in a cache."""

from __future__ import annotations

import re
from pathlib import Path

import torch

_FALLBACK_BYTES = 32 << 20


def last_level_cache_bytes() -> int:
    """Size of the largest cache of this machine's first core, in bytes, as the kernel tells it."""
    sizes = []
    for file in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"):
        if found := re.fullmatch(r"(\d+)([KM])", file.read_text().strip()):
            sizes.append(int(found[1]) << (10 if found[2] == "K" else 20))
    return max(sizes, default=_FALLBACK_BYTES)


class Evictor:
    """Writes a buffer of twice the last-level cache. The inputs were written by the judge's core, so no cache of the
    contestant's own core holds them; this pushes them out of the shared one."""

    def __init__(self) -> None:
        self._buffer = torch.zeros(2 * last_level_cache_bytes(), dtype=torch.uint8)
        self._turn = 0

    def __call__(self) -> None:
        """Evict."""
        self._turn = (self._turn + 1) % 256
        self._buffer.fill_(self._turn)
