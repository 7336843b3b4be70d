"""Where a contestant stands when it is stopped after its answer: in the shim's own loop, or in one of its own.

A kernel that never returns, and answers the judge's flags itself, saves the calls that everybody else pays for. It
leaves a trace: cells are forks of one process, so the loop in which an idle shim waits runs at the same depth of the
stack and in the same mapping of the interpreter in all of them. The anchor, which is trusted, shows how deep that is.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path

DEPTH_BYTES = 1024
"""How far apart two idle shims may be found: the C functions that the loop calls reach 350 bytes below it; a call
through ctypes takes 5,000."""


@dataclass(frozen=True)
class Place:
    """The registers of a stopped thread: addresses of the top of its stack and of its next instruction."""

    stack: int
    instruction: int


def place_of(pid: int) -> Place | None:
    """Where the main thread of the stopped process `pid` stands; None if the kernel does not tell, or it is gone."""
    try:
        words = Path(f"/proc/{pid}/syscall").read_text().split()
    except OSError:
        return None
    # "NUMBER … SP PC" in a system call, "-1 SP PC" outside of one, "running" where it has not stopped.
    return Place(int(words[-2], 16), int(words[-1], 16)) if len(words) >= 3 else None


def interpreter_text() -> range:
    """Addresses of the interpreter's code in this process, and so in every cell that was forked from the same one."""
    inside = ctypes.cast(ctypes.pythonapi.PyLong_FromLong, ctypes.c_void_p).value or 0
    for line in Path("/proc/self/maps").read_text().splitlines():
        first, _, last = line.split()[0].partition("-")
        addresses = range(int(first, 16), int(last, 16))
        if inside in addresses:
            return addresses
    return range(0)


class IdleShim:
    """What is known of the place where an idle shim waits."""

    def __init__(self) -> None:
        self._text = interpreter_text()
        self._loop = 0

    def learn(self, anchor: Place | None) -> None:
        """Note where the anchor's shim waits. The loop itself is the least deep of its places."""
        if anchor is not None:
            self._loop = max(self._loop, anchor.stack)

    def deviation(self, place: Place | None) -> str:
        """In what a contestant's place differs from an idle shim's; empty if in nothing, or if too little is known."""
        if place is None or not self._loop:
            return ""
        if place.instruction not in self._text:
            return "it waited outside the interpreter's loop"
        if abs(self._loop - place.stack) > DEPTH_BYTES:
            return "it waited in a call of its own"
        return ""
