"""Judge a brief from this process: what the command line and the runner's worker call. Needs no torch here."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

from runners.judge.builds import BuildStore
from runners.judge.faults import fault_report
from runners.protocol import Brief, Event, Limits, Mode, Report, decode, encode
from runners.sandbox.warm import JudgeChannel, WarmServer
from runners.sandbox.wire import ChannelError

_POLL_SECONDS = 0.2
_CLEAN_SECONDS = 10.0


class Cancelled(Exception):
    """The run was cancelled while it was judged."""


class JudgeLost(Exception):
    """The judge's process ended without a report: a fault of ours."""


class PreparedJudge:
    """A judge whose cells exist already, waiting for its brief: made while the brief is still on its way."""

    def __init__(
        self,
        warm: WarmServer,
        mode: Mode,
        limits: Limits,
        peaks: dict[str, float] | None,
        builds: BuildStore | None = None,
    ) -> None:
        self._builds = builds
        self._channel: JudgeChannel = warm.open_judge()
        self._has_reported = False
        self._channel.send({"mode": str(mode), "limits": encode(limits), "peaks": peaks})

    def judge(
        self,
        brief: Brief,
        on_event: Callable[[Event], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Report:
        """Judge `brief`. Raises Cancelled; a judge that dies or hangs gives a report of a judge fault.

        The judge still clears its cells away when it has reported: call :meth:`close` before the next run.
        """
        builds = self._builds.to_json() if self._builds is not None else None
        self._channel.send({"brief": encode(brief), "builds": builds})
        deadline = time.monotonic() + _longest_seconds(brief)
        try:
            while True:
                message = self._next(deadline, cancelled)
                if "report" in message:
                    self._has_reported = True
                    return decode(Report, message["report"])
                if "event" in message and on_event is not None:
                    on_event(decode(Event, message["event"]))
        except JudgeLost as lost:
            return fault_report(str(lost))

    def close(self) -> None:
        """End the judge and its cells, whatever they are doing; one that has reported may clear its cells away first.

        Returns when the judge is gone or has been killed.
        """
        if self._has_reported:
            self._has_reported = False
            with contextlib.suppress(TimeoutError, ChannelError):
                self._channel.receive(_CLEAN_SECONDS)
        self._channel.kill()
        self._channel.close()

    def _next(self, deadline: float, cancelled: Callable[[], bool] | None) -> dict[str, Any]:
        while True:
            if cancelled is not None and cancelled():
                raise Cancelled
            if time.monotonic() > deadline:
                raise JudgeLost("the judge did not report in time")
            try:
                message = self._channel.receive(_POLL_SECONDS)
            except TimeoutError:
                continue
            if message is None:
                raise JudgeLost("the judge's process ended without a report")
            return message


def judge(
    brief: Brief,
    *,
    warm: WarmServer,
    peaks: dict[str, float] | None = None,
    on_event: Callable[[Event], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    builds: BuildStore | None = None,
) -> Report:
    """Judge `brief` with a judge forked from `warm`. `peaks` are the device's, see :mod:`runners.devices.cpu`.

    Without `builds` every run starts from scratch.
    """
    prepared = PreparedJudge(warm, brief.mode, brief.limits, peaks, builds)
    try:
        return prepared.judge(brief, on_event, cancelled)
    finally:
        prepared.close()


def _longest_seconds(brief: Brief) -> float:
    """Far beyond what a run within its limits can take; a judge that is later than this has hung."""
    limits: Limits = brief.limits
    return 120 + 4 * (limits.build_seconds + limits.test_seconds) + 60 * limits.case_seconds + 60 * limits.call_seconds
