"""Stopping a contestant, knowing that it is stopped, and timing what lies between.

The order of a sample is the design: the contestant is stopped, confirmed, when its inputs come into being; the clock
starts before it is continued and ends when the next stop is confirmed, so whatever runs, runs on the clock. Its
process CPU clock, read around every stop, shows whether it ran when it should not have.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

STOP_SECONDS = 0.05
"""A contestant that still runs this long after the signal is killed: its own fault (cheat 80)."""

PATIENCE_SECONDS = 2.0
"""How long a contestant may take to stop that does not run: it waits for a core or for the disk, on its clock."""

_STOPPING_NS = 20_000_000
"""More CPU time than this after the signal is not spent on stopping."""

_OWN_SHARE = 0.25
"""A contestant that used less than this share of the wait on its CPU clock was not what kept itself from stopping."""

SETTLE_SECONDS = 0.0005
"""The scheduler adds a running thread to its CPU clock at ticks and switches only: read it this long after a stop."""

MARGIN_NS = 10_000
"""What the CPU clock may exceed the window by, beyond its cores' worth."""

_POLL_EVERY = 512
_CPUCLOCK_SCHED = 2


class Gone(Exception):
    """The contestant's process has ended."""


class Unstoppable(Exception):
    """The contestant was not stopped in time."""


class OutOfTime(Exception):
    """The contestant did not answer in time."""


class Starved(Exception):
    """The contestant got no core to stop on: the host is too busy to judge."""


@dataclass(frozen=True)
class Window:
    """One timed window: nanoseconds on the wall clock and on the contestant's own CPU clock."""

    wall_ns: int
    cpu_ns: int


def cpu_clock_id(pid: int) -> int:
    """The clock id of another process's CPU time (Linux: the pid's complement, shifted, with the kind of clock)."""
    return (~pid << 3) | _CPUCLOCK_SCHED


class StopClock:
    """Control over one child process. `pid` is a child of this process and is never reaped here."""

    def __init__(self, pid: int, cores: int) -> None:
        self._pid = pid
        self._cores = cores
        self._clock = cpu_clock_id(pid)

    def cpu_ns(self) -> int:
        """CPU time of all threads of the contestant, in nanoseconds. Raises Gone."""
        try:
            return time.clock_gettime_ns(self._clock)
        except OSError:
            raise Gone from None

    def stop(self) -> None:
        """Stop the contestant and wait, bounded, until the stop is confirmed. Raises Gone, Unstoppable, Starved."""
        self._signal(signal.SIGSTOP)
        begin, cpu_before = time.perf_counter(), self.cpu_ns()
        grace = STOP_SECONDS
        while (event := os.waitid(os.P_PID, self._pid, os.WSTOPPED | os.WNOHANG)) is None:
            if self._ended():
                raise Gone
            waited = time.perf_counter() - begin
            if waited > grace:
                if self.cpu_ns() - cpu_before > _OWN_SHARE * waited * 1e9:
                    raise Unstoppable
                grace = waited + STOP_SECONDS
            if waited > PATIENCE_SECONDS:
                ran = self.cpu_ns() - cpu_before > _STOPPING_NS
                raise Unstoppable if ran or self._sleeps_deeply() else Starved
        if event.si_code != os.CLD_STOPPED or event.si_status != signal.SIGSTOP:
            raise Unstoppable

    def resume(self) -> None:
        """Continue the contestant."""
        self._signal(signal.SIGCONT)

    def stirred(self, cpu_before: int) -> bool:
        """Whether a stopped contestant has stopped or continued again, or its CPU clock has moved."""
        event = os.waitid(os.P_PID, self._pid, os.WSTOPPED | os.WCONTINUED | os.WNOHANG)
        return event is not None or self.cpu_ns() != cpu_before

    def settle(self) -> int:
        """The CPU clock, read once the stop has reached it."""
        time.sleep(SETTLE_SECONDS)
        return self.cpu_ns()

    def run_until(
        self,
        words: memoryview,
        index: int,
        value: int,
        seconds: float,
        pause: Callable[[int], None] | None = None,
        steps: int = 1,
        between: Callable[[int, int], None] | None = None,
    ) -> int:
        """Resume; wait until ``words[index] == value``; stop. Returns the nanoseconds from before the resume to the
        confirmed stop.

        Spins, or calls `pause` with the word's value, to sleep until it changes or a few milliseconds are over.
        With more `steps` than one, wait for value, value + 1, … in turn, calling ``between(step, value + step)``
        after each but the last. Raises Gone, Unstoppable, OutOfTime (the contestant is stopped then, or gone).
        """
        begin = time.perf_counter_ns()
        deadline = begin + int(seconds * 1e9)
        self.resume()
        in_time = self._wait(words, index, value, deadline, pause)
        step = 1
        while in_time and between is not None and step < steps:
            between(step, value + step)
            in_time = self._wait(words, index, value + step, deadline, pause)
            step += 1
        self.stop()
        end = time.perf_counter_ns()
        os.waitid(os.P_PID, self._pid, os.WCONTINUED | os.WNOHANG)
        if not in_time:
            raise OutOfTime
        return end - begin

    def _wait(
        self, words: memoryview, index: int, value: int, deadline: int, pause: Callable[[int], None] | None
    ) -> bool:
        turns = 0
        while (found := words[index]) != value:
            turns += 1
            if pause is not None:
                pause(found)
            elif turns % _POLL_EVERY:
                continue
            if self._ended():
                raise Gone
            if time.perf_counter_ns() > deadline:
                return False
        return True

    def overran(self, window: Window) -> bool:
        """Whether more CPU time passed than the window had room for: the contestant ran while it was stopped."""
        return window.cpu_ns > window.wall_ns * self._cores + MARGIN_NS

    def all_stopped(self) -> bool:
        """Whether every task of the contestant is in state T."""
        return self._states() == {b"T"}

    def children(self) -> int:
        """How many processes the contestant has beside itself: it is pid 1 of its namespace, so they are its own."""
        folder = f"/proc/{self._pid}/task"
        count = 0
        for task in os.listdir(folder):
            with open(f"{folder}/{task}/children", "rb") as file:
                count += len(file.read().split())
        return count

    def _sleeps_deeply(self) -> bool:
        """Whether a task is in a sleep that signals cannot end: that delays the stop by its own doing."""
        try:
            return b"D" in self._states()
        except FileNotFoundError:
            raise Gone from None

    def _states(self) -> set[bytes]:
        folder = f"/proc/{self._pid}/task"
        states = set()
        for task in os.listdir(folder):
            with open(f"{folder}/{task}/stat", "rb") as file:
                states.add(file.read().rpartition(b")")[2].split()[0])
        return states

    def _ended(self) -> bool:
        return os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _signal(self, number: int) -> None:
        try:
            os.kill(self._pid, number)
        except ProcessLookupError:
            raise Gone from None
