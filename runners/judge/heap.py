"""The judge's heap while it times: large buffers come and go with every pair, and need not be fresh pages each time."""

from __future__ import annotations

import ctypes

# malloc.h of glibc.
_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4
_KEPT_BYTES = 1 << 30


def keep_pages() -> None:
    """Let malloc keep the pages of freed buffers (up to 1 GiB) instead of giving them back to the kernel.

    A buffer that is mapped afresh costs a page fault for every 4 KiB: of vector inputs, half the time of making them.
    Without effect where malloc is not glibc's.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_MAX, 0)
        mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)
