"""Large pages for what the warm process keeps: a fork copies page tables, and they are most of what a fork costs."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from pathlib import Path

MADV_COLLAPSE = 25
"""Since Linux 6.1: make large pages of what is there now. Memory that is mapped later is as it always was."""

LARGE_PAGE = 2 << 20
_HEAP = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw-p 0+ 00:00 0 *(?:\[heap\])?\n")

_libc = ctypes.CDLL(None, use_errno=True)


def collapse() -> int:
    """Turn this process's heap into large pages. Returns how many bytes took part.

    Best-effort: where the kernel cannot do it, forks only cost more. A child that writes copies small pages, as ever.
    """
    done = 0
    for start, end in _heap_ranges():
        if _libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), MADV_COLLAPSE) == 0:
            done += end - start
    return done


def _heap_ranges() -> Iterator[tuple[int, int]]:
    """The parts of private, anonymous, writable mappings that whole large pages cover."""
    for line in Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines(keepends=True):
        found = _HEAP.fullmatch(line)
        if found is None:
            continue
        start = -(-int(found[1], 16) // LARGE_PAGE) * LARGE_PAGE
        end = int(found[2], 16) // LARGE_PAGE * LARGE_PAGE
        if start < end:
            yield start, end
