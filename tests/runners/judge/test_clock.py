"""Stopping a process, knowing it is stopped, and seeing it run when it should not."""

from __future__ import annotations

import mmap
import os
import signal
import time
from collections.abc import Callable, Iterator

import pytest

from runners.judge.clock import Gone, OutOfTime, StopClock, Unstoppable, Window

Spawn = Callable[[Callable[[memoryview], None]], StopClock]


@pytest.fixture
def words() -> memoryview:
    return memoryview(mmap.mmap(-1, mmap.PAGESIZE)).cast("Q")


@pytest.fixture
def spawn(words: memoryview) -> Iterator[Spawn]:
    pids = []

    def start(body: Callable[[memoryview], None]) -> StopClock:
        pid = os.fork()
        if pid == 0:
            try:
                words[60] = 1
                body(words)
            finally:
                os._exit(7)
        pids.append(pid)
        while not words[60]:
            time.sleep(0.001)
        return StopClock(pid, 1)

    yield start
    for pid in filter(None, [words[61]]):
        os.kill(pid, signal.SIGKILL)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def answer_after(seconds: float) -> Callable[[memoryview], None]:
    def body(words: memoryview) -> None:
        seen = 0
        while True:
            while words[0] == seen:
                pass
            seen = words[0]
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                pass
            words[8] = seen

    return body


def test_a_window_holds_the_work_and_ends_stopped(spawn: Spawn, words: memoryview) -> None:
    clock = spawn(answer_after(0.002))
    clock.stop()
    before = clock.settle()
    words[0] = 1
    assert not clock.stirred(before)
    wall = clock.run_until(words, 8, 1, 5.0)
    assert wall > 2_000_000
    assert clock.all_stopped()
    assert clock.children() == 0
    after = clock.settle()
    assert not clock.overran(Window(wall, after - before))
    time.sleep(0.01)
    assert clock.cpu_ns() == after


def test_a_contestant_that_was_continued_has_stirred(spawn: Spawn) -> None:
    clock = spawn(answer_after(0))
    clock.stop()
    before = clock.settle()
    clock.resume()
    assert clock.stirred(before)


def test_more_cpu_time_than_the_window_had_room_for_is_seen() -> None:
    clock = StopClock(os.getpid(), 2)
    assert not clock.overran(Window(1_000_000, 2_000_000))
    assert clock.overran(Window(1_000_000, 2_100_000))


def test_no_answer_in_time_ends_with_the_contestant_stopped(spawn: Spawn, words: memoryview) -> None:
    clock = spawn(answer_after(60))
    clock.stop()
    words[0] = 1
    with pytest.raises(OutOfTime):
        clock.run_until(words, 8, 1, 0.05)
    assert clock.all_stopped()


def test_a_contestant_that_ends_is_gone(spawn: Spawn, words: memoryview) -> None:
    def leave(words: memoryview) -> None:
        while not words[0]:
            pass

    clock = spawn(leave)
    clock.stop()
    words[0] = 1
    with pytest.raises(Gone):
        clock.run_until(words, 8, 1, 5.0)


def test_a_thread_in_vfork_delays_the_stop_and_the_judge_does_not_wait(spawn: Spawn, words: memoryview) -> None:
    def vfork_and_sleep(words: memoryview) -> None:
        import ctypes

        libc = ctypes.CDLL(None)
        # vfork through syscall(2): the parent sleeps in state D until the child leaves.
        if libc.syscall(ctypes.c_long(58)) == 0:
            words[61] = os.getpid()
            while True:
                libc.pause()

    clock = spawn(vfork_and_sleep)
    begin = time.monotonic()
    while not words[61] and time.monotonic() - begin < 5:
        time.sleep(0.001)
    with pytest.raises(Unstoppable):
        clock.stop()
    assert time.monotonic() - begin < 10


def test_a_contestant_whose_core_is_taken_is_not_accused(spawn: Spawn) -> None:
    def spin(words: memoryview) -> None:
        while True:
            pass

    core = {min(os.sched_getaffinity(0))}
    clock = spawn(lambda words: (os.sched_setaffinity(0, core), spin(words)))
    rivals = []
    for _ in range(6):
        pid = os.fork()
        if pid == 0:
            os.sched_setaffinity(0, core)
            spin(memoryview(b""))
        rivals.append(pid)
    try:
        for _ in range(20):
            clock.stop()
            clock.resume()
    finally:
        for pid in rivals:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
