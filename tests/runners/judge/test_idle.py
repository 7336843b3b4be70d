"""Where stopped processes stand, read from real ones: forks of this one, as cells are forks of one process."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from runners.judge.idle import DEPTH_BYTES, IdleShim, Place, interpreter_text, place_of

LOOKS = 40


@contextmanager
def forked(work: Callable[[], object]) -> Iterator[int]:
    """A child that does `work`, for ever or until it is killed."""
    pid = os.fork()
    if pid == 0:
        work()
        os._exit(0)
    try:
        yield pid
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def looks(pid: int) -> list[Place]:
    """Where the child stands at many stops."""
    found = []
    for _ in range(LOOKS):
        time.sleep(0.005)
        os.kill(pid, signal.SIGSTOP)
        os.waitid(os.P_PID, pid, os.WSTOPPED)
        place = place_of(pid)
        assert place is not None
        found.append(place)
        os.kill(pid, signal.SIGCONT)
    return found


def wait_in_python() -> None:
    words = memoryview(bytearray(64)).cast("Q")
    while words[0] == 0:
        pass


def wait_in_a_call() -> None:
    # A C function that calls back: the loop is the same, the stack below it is not.
    ctypes.CFUNCTYPE(None)(wait_in_python)()


def wait_in_native_code() -> None:
    ctypes.CDLL(None).usleep(60_000_000)


def test_two_forks_that_wait_alike_stand_alike() -> None:
    idle = IdleShim()
    with forked(wait_in_python) as anchor:
        for place in looks(anchor):
            idle.learn(place)
    with forked(wait_in_python) as contestant:
        assert {idle.deviation(place) for place in looks(contestant)} == {""}


def test_waiting_inside_a_call_shows() -> None:
    idle = IdleShim()
    with forked(wait_in_python) as anchor:
        idle.learn(looks(anchor)[0])
    with forked(wait_in_a_call) as contestant:
        assert {idle.deviation(place) for place in looks(contestant)} == {"it waited in a call of its own"}
    with forked(wait_in_native_code) as contestant:
        assert {idle.deviation(place) for place in looks(contestant)} == {"it waited outside the interpreter's loop"}


def test_what_is_not_known_accuses_nobody() -> None:
    idle = IdleShim()
    inside = interpreter_text()[0]
    assert idle.deviation(Place(1 << 40, inside)) == ""
    idle.learn(None)
    assert idle.deviation(Place(1 << 40, inside)) == ""
    idle.learn(Place(1 << 40, inside))
    assert idle.deviation(None) == ""
    assert idle.deviation(Place((1 << 40) + DEPTH_BYTES, inside)) == ""
    assert idle.deviation(Place((1 << 40) - DEPTH_BYTES - 1, inside)) == "it waited in a call of its own"


def test_a_process_that_is_gone_stands_nowhere() -> None:
    with forked(lambda: None) as pid:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        assert place_of(pid) is None or place_of(pid) == Place(0, 0)
