"""The warm process's heap in large pages: nothing in it changes, and children can write to it."""

from __future__ import annotations

import os

from runners.sandbox import pages


def test_collapsing_changes_no_value_and_children_write_to_copies() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(_try_collapsing())
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def _try_collapsing() -> int:
    """In a process of its own: 0 if all is well."""
    kept = [str(number) * 50 for number in range(100_000)]
    large = bytearray(b"\x5a" * (16 << 20))
    if pages.collapse() < 0 or kept != [str(number) * 50 for number in range(100_000)]:
        return 1
    child = os.fork()
    if child == 0:
        large[:] = bytes(len(large))
        kept.clear()
        os._exit(0)
    os.waitpid(child, 0)
    return 0 if large == b"\x5a" * (16 << 20) and len(kept) == 100_000 else 2


def test_only_whole_large_pages_of_the_heap_are_chosen() -> None:
    for start, end in pages._heap_ranges():
        assert start % pages.LARGE_PAGE == 0 == end % pages.LARGE_PAGE
        assert start < end
