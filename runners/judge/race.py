"""The timing stage: pairs of contestant and anchor on the same fresh inputs, every output checked."""

from __future__ import annotations

import math
import random
import time
from typing import Any

import numpy as np

from problems.loader import CheckResult
from runners.judge import statistics
from runners.judge.answers import Dishonest, Failed
from runners.judge.cases import JudgeCase, Peaks
from runners.judge.evict import Evictor
from runners.judge.faults import JudgeFault
from runners.judge.layout import leaves_of, plan_layout
from runners.judge.party import Party, Sample
from runners.judge.reveal import cheap_enough
from runners.judge.series import Plan, Series
from runners.judge.statistics import Interval
from runners.judge.trial import Emit, Ended, case_event, load
from runners.judge.wording import word_failure
from runners.protocol import Brief, CaseResult, Event, Mode, Stage, Verdict

SAMPLE_SECONDS = 0.010
"""Small kernels share a sample of at least this length, so that the path's cost is a small part of it."""

MAX_CALLS = 256
MAX_INPUT_BYTES = 256 << 20
PROBE_SAMPLES = 3
MIN_PAIRS, MIN_PAIRS_LATE = 8, 3

CONTROL_SHARE = 0.5
"""Of the pairs in which the anchor comes second, how many are followed by the anchor once more, as a control."""


class Race:
    """Times one contestant against the anchor, case by case."""

    def __init__(
        self, contestant: Party, anchor: Party, brief: Brief, emit: Emit, peaks: Peaks | None, spin: bool
    ) -> None:
        self._contestant = contestant
        self._anchor = anchor
        self._brief = brief
        self._emit = emit
        self._peaks = peaks
        self._spin = spin
        self._evictor = Evictor()
        self._order = random.SystemRandom()
        self._secret = brief.mode is Mode.RANKED
        self.results: list[CaseResult] = []
        self.intervals: list[Interval] = []

    def load_contestant(self, source: str, files: dict[str, str], threads: int) -> None:
        """Load the submission where it is timed; what was built is there, nothing can be built. Raises Ended."""
        try:
            load(self._contestant, self._brief, source, files, Stage.TIME, threads)
        except Failed as failure:
            where = "loading the submission for timing (no process can be started and /build is read-only there)"
            verdict, message = word_failure(failure, where, self._brief.limits, self._secret)
            raise Ended(verdict, Stage.TIME, message, failure) from failure

    def run(self, cases: list[JudgeCase]) -> None:
        """Time every case. Raises Ended at the first that fails, JudgeFault when the anchor does."""
        self._emit(Event("stage", {"stage": Stage.TIME, "total": len(cases)}))
        for case in cases:
            try:
                result = self._time_case(case)
            except Failed as failure:
                verdict, message = word_failure(failure, case.where, self._brief.limits, self._secret)
                self.results.append(_failed(case, verdict, message))
                raise Ended(verdict, Stage.TIME, message, failure) from failure
            self.results.append(result)
            self._emit(Event("case", case_event(case, result)))
            if result.status is not Verdict.PASSED:
                raise Ended(result.status, Stage.TIME, result.message)

    def _time_case(self, case: JudgeCase) -> CaseResult:
        series = Series(self._plan(case))
        rng = np.random.default_rng(int.from_bytes(case.nonce, "little") + case.spec.index)
        wrong = self._pair(case, 0, series)
        begin = time.monotonic()
        interval: Interval | None = None
        while wrong is None:
            pair = len(series.log_ratios) + 1
            wrong = self._pair(case, pair, series)
            late = self._out_of_time(time.monotonic() - begin, pair)
            if pair in statistics.LOOKS or late:
                interval = series.interval(rng)
                self._progress(case, pair, interval)
                if late or statistics.settled(pair, interval):
                    break
        if wrong is not None or interval is None:
            return self._wrong(case, wrong, series)
        self.intervals.append(interval)
        timing = series.timing(interval, case.floor_seconds(self._peaks), rng)
        return CaseResult(
            Stage.TIME, case.spec.index, case.public_label, case.spec.hidden, Verdict.PASSED,
            error=series.error, anchor_error=series.anchor_error, timing=timing,
        )  # fmt: skip

    def _out_of_time(self, elapsed: float, pairs: int) -> bool:
        budget = self._brief.limits.case_seconds
        enough = MIN_PAIRS if elapsed < 4 * budget else MIN_PAIRS_LATE
        return elapsed > budget and pairs >= enough

    def _plan(self, case: JudgeCase) -> Plan:
        """How many calls make a sample of :data:`SAMPLE_SECONDS`, by a few single calls that count for nothing, and
        how their inputs are revealed. Leaves both parties ready for that plan."""
        self._prepare(case, 1)
        best = math.inf
        for probe in range(PROBE_SAMPLES):
            data = case.inputs(-1 - probe)
            for party in (self._contestant, self._anchor):
                best = min(best, self._sample(party, [data]).window.wall_ns / 1e9)
        size = sum(leaf.nbytes for leaf in leaves_of(data))
        calls = max(1, min(math.ceil(SAMPLE_SECONDS / best), MAX_CALLS, MAX_INPUT_BYTES // max(size, 1)))
        if calls > 1 and cheap_enough(self._contestant.desk, data, best):
            return Plan(calls, one_by_one=True)
        if calls > 1:
            self._prepare(case, calls)
        return Plan(calls)

    def _prepare(self, case: JudgeCase, places: int) -> None:
        layout = plan_layout(case.junk(bytes(32)), case.forms(), places)
        for party in (self._contestant, self._anchor):
            with self._faults_of(party):
                party.disarm()
                party.set_case(layout, self._brief.limits.call_seconds)
                party.arm(self._brief.limits.call_seconds)

    def _pair(self, case: JudgeCase, pair: int, series: Series) -> CheckResult | None:
        """One pair on the same fresh inputs, in random order; the first, number 0, only warms up.

        The failed check, if any output is wrong.
        """
        calls = series.plan.calls
        first = pair * calls
        data = [case.inputs(first + call) for call in range(calls)]
        anchor_last = self._order.random() < 0.5
        anchor = None if anchor_last else self._sample(self._anchor, data)
        mine = self._sample(self._contestant, data)
        if anchor is None:
            anchor = self._sample(self._anchor, data)
        if anchor_last and pair and self._order.random() < CONTROL_SHARE:
            series.add_control(anchor, self._sample(self._anchor, data))
        if series.anchor_error is None:
            series.anchor_error = self._check_anchor(case, data[0], anchor, first)
        for call, answer in enumerate(mine.answers):
            found = case.check(data[call], answer.form, answer.outputs, first + call, full=False)
            series.error = max(series.error, found.error)
            if not found.ok:
                return found
        if pair:
            series.add(mine, anchor)
        return None

    def _sample(self, party: Party, data: list[Any]) -> Sample:
        """One sample; around an anchor's, the contestant's CPU clock must stand still."""
        with self._faults_of(party):
            if party is self._contestant:
                return party.sample(data, self._evictor, self._brief.limits.call_seconds, self._spin)
            before = self._contestant.cpu_ns()
            sample = party.sample(data, self._evictor, self._brief.limits.call_seconds, self._spin)
        moved = self._contestant.cpu_ns() - before
        if moved:
            raise Dishonest("ran_while_stopped", f"{moved / 1e6:.3f} ms of CPU time while the anchor ran")
        return sample

    def _faults_of(self, party: Party) -> _AnchorFaults:
        return _AnchorFaults(party is self._anchor)

    def _check_anchor(self, case: JudgeCase, data: Any, sample: Sample, call: int) -> float:
        answer = sample.answers[0]
        found = case.check(data, answer.form, answer.outputs, call, full=True)
        if not found.ok:
            raise JudgeFault(f"the anchor's own output is wrong in {case.where}: {found.message}")
        return found.error

    def _progress(self, case: JudgeCase, pairs: int, interval: Interval) -> None:
        data = {"stage": Stage.TIME, "index": case.spec.index, "done": pairs, "total": statistics.LOOKS[-1]}
        if self._brief.mode is not Mode.RANKED:
            data["half_width"] = interval.half_width
        self._emit(Event("progress", data))

    def _wrong(self, case: JudgeCase, found: CheckResult | None, series: Series) -> CaseResult:
        if found is None:
            raise JudgeFault(f"{case.where} ended without an interval")
        text = found.family_message if case.spec.hidden or self._secret else found.message
        result = _failed(case, Verdict.WRONG, f"Wrong answer in {case.where}, in a timed call: {text}")
        return _with_error(result, series)


class _AnchorFaults:
    """What fails while the anchor runs is ours."""

    def __init__(self, is_anchor: bool) -> None:
        self._is_anchor = is_anchor

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._is_anchor and isinstance(error, Failed):
            raise JudgeFault(f"the anchor failed: {error.kind} {error.detail}") from error


def _failed(case: JudgeCase, verdict: Verdict, message: str) -> CaseResult:
    return CaseResult(Stage.TIME, case.spec.index, case.public_label, case.spec.hidden, verdict, message)


def _with_error(result: CaseResult, series: Series) -> CaseResult:
    return CaseResult(
        result.stage, result.index, result.label, result.hidden, result.status, result.message,
        error=series.error, anchor_error=series.anchor_error,
    )  # fmt: skip
