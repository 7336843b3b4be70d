"""The least time that a case takes on a device, whatever the kernel.

A floor must be a true lower bound: one that is too high sends honest kernels to review. So three bounds are taken, each
of which holds by itself, and the largest counts:

- what must be read comes from memory: the judge writes the inputs just before and sweeps the caches. The rate is that
  of reading what was written and swept so, or of memory, whichever is higher. Up to `SWEPT_BYTES` chance may leave
  much of it in a cache; then this bound is left out;
- what must be written may stay in a cache beyond the end of the call; only what no cache can hold goes to memory;
- all that is read or written passes at the rate of the fastest cache at best, and the arithmetic at its own.

What is read is the problem's `cost.bytes` less the smallest accepted output.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

SWEPT_BYTES = 64 << 10


@dataclass(frozen=True)
class Peaks:
    """What the device can do at best, headroom included: bytes a second from memory and within caches, what all its
    caches hold in bytes, floating-point operations a second."""

    bytes_per_second: float
    flops_per_second: float
    cached_bytes_per_second: float = math.inf
    cache_bytes: float = math.inf

    def as_text(self) -> dict[str, str]:
        """For the report's environment."""
        return {
            "peak_bandwidth": f"{self.bytes_per_second / 1e9:.4g} GB/s",
            "peak_cache_bandwidth": f"{self.cached_bytes_per_second / 1e9:.4g} GB/s",
            "peak_flops": f"{self.flops_per_second / 1e9:.4g} GFLOP/s",
        }


def least_seconds(peaks: Peaks, flops: float | None, moved: float | None, written: float) -> float | None:
    """The floor of one call with these operations and bytes moved, `written` of them as output; None if neither is
    known."""
    bounds = []
    if flops is not None:
        bounds.append(flops / peaks.flops_per_second)
    if moved is not None:
        read = max(0.0, moved - written)
        spilled = max(0.0, min(moved, written) - peaks.cache_bytes)
        through_memory = spilled + (read if read > SWEPT_BYTES else 0.0)
        bounds += [through_memory / peaks.bytes_per_second, moved / peaks.cached_bytes_per_second]
    return max(bounds, default=None)
