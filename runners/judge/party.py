"""A party to a run: a contestant or the anchor, in its cell, behind its desk, under its clock."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from runners.contestant.desk import ARMED, ARMED_SLEEPING, ARMED_SPINNING, DONE, REQUEST, CallLayout
from runners.judge.answers import Answer, Dishonest, Failed, Suspicious, raise_if_failed, read_answer, storable
from runners.judge.clock import Gone, OutOfTime, Starved, StopClock, Unstoppable, Window
from runners.judge.desk import JudgeDesk
from runners.judge.faults import JudgeFault
from runners.judge.idle import Place, place_of
from runners.judge.reveal import OneByOne
from runners.sandbox.cell import Cell

_EAGER_SECONDS = 0.001
_POLL_SECONDS = 0.0002
_STARVED = "a contestant got no core to stop on: the host is too busy to judge"


@dataclass(frozen=True)
class Sample:
    """One timed sample: its window, and the answers of its calls."""

    window: Window
    answers: tuple[Answer, ...]
    place: Place | None


class Party:
    """Drives one cell. All its failures become :class:`Failed`; none of them blocks the judge."""

    def __init__(self, cell: Cell, desk: JudgeDesk, cores: int, output: OutputTail | None) -> None:
        self.cell = cell
        self.desk = desk
        self._clock = StopClock(cell.pid, cores)
        self._output = output
        self._request = 0
        self._cpu_before = 0
        self._wall = 0
        self._serial: OneByOne | None = None
        self._pause: Callable[[int], None] | None = None

    def command(self, text: dict[str, Any], seconds: float) -> None:
        """Give a command and wait for its answer. Raises Failed."""
        self.desk.command(text)
        self._raise_flag()
        begin = time.monotonic()
        deadline = begin + seconds
        while self.desk.words[DONE] != self._request:
            if time.monotonic() - begin < _EAGER_SECONDS:
                time.sleep(0)
                continue
            time.sleep(_POLL_SECONDS)
            if self._output is not None and self._output.drain():
                self.cell.kill()
                raise Failed("output")
            if not self.cell.alive():
                raise self._death()
            if time.monotonic() > deadline:
                self.cell.kill()
                raise Failed("timeout", f"{seconds:g}")
        raise_if_failed(self.desk)

    def set_case(self, layout: CallLayout, seconds: float) -> None:
        """Tell the contestant where the inputs and outputs of the next calls lie."""
        self.desk.set_layout(layout)
        self.command({"op": "case", "layout": layout.to_json()}, seconds)

    def write(self, calls: list[Any]) -> None:
        """Fresh inputs for every call, poisoned outputs."""
        for call, data in enumerate(calls):
            self.desk.write_inputs(call, data)
        self.desk.poison_outputs()

    def refresh(self, calls: list[Any]) -> None:
        """Put right what another party that shares the inputs has changed of them."""
        for call, data in enumerate(calls[: self.desk.layout.calls]):
            if self.desk.inputs_changed(call, data):
                self.desk.write_inputs(call, data)

    def call(self, layout: CallLayout, data: Any, seconds: float) -> Answer:
        """One untimed call with inputs laid out by `layout`, for tests and builds."""
        self.desk.set_layout(layout)
        self.write([data])
        self.command({"op": "case", "layout": layout.to_json(), "call": True}, seconds)
        return read_answer(self.desk, 0)

    def arm(self, seconds: float, spin: bool) -> None:
        """Enter the timed stage: from now on the contestant spins on its flag, and is stopped between samples.

        With `spin` the judge does too; without, it sleeps until the contestant wakes it, since they share a core.
        """
        self.desk.words[ARMED] = ARMED_SPINNING if spin else ARMED_SLEEPING
        self._pause = None if spin else self.desk.wait_for_done
        self.command({"op": "arm"}, seconds)
        self._guarded(self._clock.stop)

    def disarm(self) -> None:
        """Leave the timed stage: the contestant runs again, untimed, and takes commands."""
        if self.desk.words[ARMED]:
            self.desk.words[ARMED] = 0
            self._guarded(self._clock.resume)

    def prepare(self, calls: list[Any], inputs_there: bool = False) -> None:
        """Get the next timed sample ready: note the CPU clock, write fresh inputs (unless the party that shares them
        has written them), poison the outputs.

        More calls than the layout has places are revealed one by one, else all together. Raises Failed.
        """
        self._cpu_before = self._guarded(self._clock.settle)
        places = self.desk.layout.calls
        self._serial = OneByOne(self.desk, calls) if len(calls) > places else None
        self.write([] if inputs_there else calls[:places])

    def run(self, seconds: float) -> None:
        """Run the sample that is ready. Raises Failed and Dishonest; Suspicious for a sample that is void."""
        self._raise_flag()
        if self._guarded(lambda: self._clock.stirred(self._cpu_before)):
            self._stop_again()
            raise Suspicious("woke_itself", "it ran, or was continued, while it was stopped")
        self._wall = self._timed(seconds, self._serial)

    def collect(self) -> Sample:
        """The sample that has run. Raises Failed and Dishonest; Suspicious for a sample that is void."""
        cpu = self._guarded(self._clock.settle) - self._cpu_before
        window = Window(self._wall, cpu)
        if self._clock.overran(window):
            raise Suspicious(
                "ran_while_stopped", f"{cpu / 1e6:.3f} ms of CPU time in a window of {self._wall / 1e6:.3f} ms"
            )
        self._census()
        raise_if_failed(self.desk)
        if self._serial is not None:
            self._serial.keep(self._serial.calls - 1)
            answers = self._serial.answers()
        else:
            answers = tuple(read_answer(self.desk, call) for call in range(self.desk.layout.calls))
        return Sample(window, answers, self.place())

    def place(self) -> Place | None:
        """Where its main thread stands, while it is stopped."""
        return place_of(self.cell.pid)

    def cpu_ns(self) -> int:
        """The contestant's CPU clock. Raises Failed."""
        return int(self._guarded(self._clock.cpu_ns))

    def kill(self) -> None:
        """End the contestant and all that is in its cell."""
        self.cell.kill()

    def _raise_flag(self) -> None:
        self._request += 1
        self.desk.words[REQUEST] = self._request

    def _timed(self, seconds: float, serial: OneByOne | None) -> int:
        first = self._request
        try:
            if serial is None:
                return self._clock.run_until(self.desk.words, DONE, first, seconds, self._pause)
            self._request += serial.calls - 1
            return self._clock.run_until(self.desk.words, DONE, first, seconds, self._pause, serial.calls, serial.step)
        except Gone:
            raise self._death() from None
        except Unstoppable:
            raise self._dishonest("unstoppable", "it did not stop in time after the signal") from None
        except OutOfTime:
            self.cell.kill()
            raise Failed("timeout", f"{seconds:g}") from None
        except Starved:
            raise JudgeFault(_STARVED) from None

    def _guarded(self, action: Callable[[], Any]) -> Any:
        try:
            return action()
        except Gone:
            raise self._death() from None
        except Unstoppable:
            raise self._dishonest("unstoppable", "it did not stop in time after the signal") from None
        except Starved:
            raise JudgeFault(_STARVED) from None

    def _stop_again(self) -> None:
        """Stopped for certain, whichever it was before: only a running process can be seen to stop."""
        self._guarded(self._clock.resume)
        self._guarded(self._clock.stop)

    def _census(self) -> None:
        try:
            if others := self._clock.children():
                raise self._dishonest("extra_process", f"{others} more processes in its cell")
            if not self._clock.all_stopped():
                raise Suspicious("ran_while_stopped", "a thread was not stopped with the others")
        except FileNotFoundError:
            raise self._death() from None

    def _dishonest(self, kind: str, detail: str) -> Dishonest:
        self.cell.kill()
        return Dishonest(kind, detail)

    def _death(self) -> Failed:
        if self._output is not None:
            self._output.drain()
        memory = self.cell.oom_killed()
        status = self.cell.exit_status()
        self.cell.kill()
        if memory:
            return Failed("memory")
        if status is not None and status < 0:
            return Failed("signal", str(-status))
        return Failed("exit", str(status if status is not None else ""))


class OutputTail:
    """What a contestant prints: the first `keep` bytes are kept, more than `limit` is too much."""

    def __init__(self, fd: int, keep: int, limit: int) -> None:
        os.set_blocking(fd, False)
        self._fd = fd
        self._keep = keep
        self._limit = limit
        self._kept = bytearray()
        self._count = 0

    def drain(self) -> bool:
        """Read what is there; whether it is too much by now."""
        while True:
            try:
                chunk = os.read(self._fd, 1 << 16)
            except OSError as error:
                if error.errno == errno.EAGAIN:
                    break
                raise
            if not chunk:
                break
            self._count += len(chunk)
            self._kept += chunk[: max(0, self._keep - len(self._kept))]
            if self._count > self._limit:
                return True
        return False

    def text(self) -> str:
        """What was kept."""
        tail = f"\n… {self._count - len(self._kept)} more bytes" if self._count > len(self._kept) else ""
        return storable(self._kept.decode("utf-8", "replace")) + tail
