"""The timing stage: pairs of contestant and anchor on the same fresh inputs, every output checked."""

from __future__ import annotations

import itertools
import math
import random
import time
from typing import Any

import numpy as np

from problems.loader import CheckResult
from runners.judge import statistics
from runners.judge.answers import Dishonest, Failed, Suspicious
from runners.judge.cases import JudgeCase, Peaks
from runners.judge.evict import Evictor
from runners.judge.faults import JudgeFault
from runners.judge.heap import keep_pages
from runners.judge.idle import IdleShim
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
MIN_PAIRS = 8
"""Fewer pairs than this decide nothing, whatever the case's time budget says."""

MAX_STRIKES, MAX_STRIKE_SHARE = 2, 0.05
"""Void samples that a host may cost a contestant: more in number and in share of its samples is dishonesty."""

MAX_ANCHOR_STRIKES = 20
"""An anchor that makes more void samples than this in a case tells of a host that cannot judge."""

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
        keep_pages()
        self._evictor = Evictor()
        self._idle = IdleShim()
        self._order = random.SystemRandom()
        self._secret = brief.mode is Mode.RANKED
        self._samples = 0
        self._anchor_strikes = 0
        self.strikes = 0
        self.results: list[CaseResult] = []
        self.intervals: list[Interval] = []

    def load_contestant(self, source: str, files: dict[str, str], threads: int) -> None:
        """Load the submission where it is timed; what was built is there, nothing can be built. Raises Ended."""
        try:
            load(self._contestant, self._brief, source, files, Stage.TIME, threads)
        except Failed as failure:
            where = "loading the submission for timing (no process can be started there)"
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
        plan = self._plan(case)
        if isinstance(plan, CheckResult):
            return self._wrong(case, plan, Series(Plan(1)))
        series = Series(plan)
        rng = np.random.default_rng(int.from_bytes(case.nonce, "little") + case.spec.index)
        begin = time.monotonic()
        interval: Interval | None = None
        for turn in itertools.count():
            before = len(series.log_ratios)
            wrong = self._pair(case, turn, series)
            pairs = len(series.log_ratios)
            if wrong is not None:
                return self._wrong(case, wrong, series)
            late = pairs >= MIN_PAIRS and time.monotonic() - begin > self._brief.limits.case_seconds
            if late or (pairs in statistics.LOOKS and pairs > before):
                interval = series.interval(rng)
                self._progress(case, pairs, interval)
                if late or statistics.settled(pairs, interval):
                    break
        if interval is None:
            raise JudgeFault(f"{case.where} ended without an interval")
        self.intervals.append(interval)
        timing = series.timing(interval, case.floor_seconds(self._peaks), rng)
        return CaseResult(
            Stage.TIME, case.spec.index, case.public_label, case.spec.hidden, Verdict.PASSED,
            error=series.error, anchor_error=series.anchor_error, timing=timing,
        )  # fmt: skip

    def _plan(self, case: JudgeCase) -> Plan | CheckResult:
        """How many calls make a sample of :data:`SAMPLE_SECONDS`, by a few single calls, and how their inputs are
        revealed. The calls are checked like all others. Leaves both parties ready for that plan."""
        self._prepare(case, 1)
        best, probe, data = math.inf, 0, None
        while probe < PROBE_SAMPLES or best == math.inf:
            probe += 1
            data = case.inputs(-probe)
            try:
                samples = self._samples_of((self._contestant, self._anchor), [data])
            except Suspicious as suspicion:
                self._strike(suspicion)
                continue
            best = min(best, *(sample.window.wall_ns / 1e9 for sample in samples))
            answer = samples[0].answers[0]
            found = case.check(data, answer.form, answer.outputs, -probe, full=False)
            if not found.ok:
                return found
        size = sum(leaf.nbytes for leaf in leaves_of(data))
        calls = max(1, min(math.ceil(SAMPLE_SECONDS / best), MAX_CALLS, MAX_INPUT_BYTES // max(size, 1)))
        # One by one, the judge has a part in every call: it needs a core of its own.
        if calls > 1 and self._spin and cheap_enough(self._contestant.desk, data, best):
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
                party.arm(self._brief.limits.call_seconds, self._spin)
        self._idle.learn(self._anchor.place())

    def _pair(self, case: JudgeCase, turn: int, series: Series) -> CheckResult | None:
        """One pair on the same fresh inputs, in random order. Turn 0 only warms up; a void pair is not kept, and its
        inputs never come again. The failed check, if any output is wrong."""
        first = turn * series.plan.calls
        data = [case.inputs(first + call) for call in range(series.plan.calls)]
        anchor_last = self._order.random() < 0.5
        control: Sample | None = None
        try:
            if anchor_last:
                mine, anchor = self._samples_of((self._contestant, self._anchor), data)
            else:
                anchor, mine = self._samples_of((self._anchor, self._contestant), data)
            if anchor_last and turn and self._order.random() < CONTROL_SHARE:
                (control,) = self._samples_of((self._anchor,), data)
        except Suspicious as suspicion:
            self._strike(suspicion)
            return None
        if series.anchor_error is None:
            series.anchor_error = self._check_anchor(case, data[0], anchor, first)
        for call, answer in enumerate(mine.answers):
            found = case.check(data[call], answer.form, answer.outputs, first + call, full=False)
            series.error = max(series.error, found.error)
            if not found.ok:
                return found
        if turn:
            series.add(mine, anchor)
            if control is not None:
                series.add_control(anchor, control)
        return None

    def _strike(self, suspicion: Suspicious) -> None:
        """Count a void sample against whoever made it. Raises Dishonest, or JudgeFault for the anchor."""
        if isinstance(suspicion, _AnchorSuspicious):
            self._anchor_strikes += 1
            if self._anchor_strikes > MAX_ANCHOR_STRIKES:
                raise JudgeFault(f"the anchor's samples are void too often: {suspicion.detail}")
            return
        self.strikes += 1
        if self.strikes > MAX_STRIKES and self.strikes > MAX_STRIKE_SHARE * self._samples:
            self._contestant.kill()
            raise Dishonest(suspicion.kind, f"{suspicion.detail}; {self.strikes} of {self._samples} samples")

    def _samples_of(self, parties: tuple[Party, ...], data: list[Any]) -> list[Sample]:
        """A sample of each party, on the same inputs, in this order. Raises Suspicious, Failed, Dishonest, JudgeFault.

        Everything that can be done before the first or after the last sample is: the noise of a shared host is a
        random walk, so that a pair's ratio is the more exact the closer together its samples are.
        """
        for place, party in enumerate(parties):
            with self._faults_of(party):
                party.prepare(data, inputs_there=place > 0)
        for place, party in enumerate(parties):
            if place:
                # Whoever ran first may have written to the inputs: into NaNs, into numbers that are slow to add.
                party.refresh(data)
            self._evictor()
            self._run(party)
        return [self._collect(party) for party in parties]

    def _collect(self, party: Party) -> Sample:
        """A party's sample; the anchor's shows where an idle shim waits, where the contestant's must wait as well."""
        with self._faults_of(party):
            sample = party.collect()
        if party is self._anchor:
            self._idle.learn(sample.place)
        # Where both share a core, the shim is stopped in the very call that wakes the judge.
        elif self._spin and (deviation := self._idle.deviation(sample.place)):
            raise Suspicious("took_over", deviation)
        return sample

    def _run(self, party: Party) -> None:
        """Run what is prepared; while the anchor runs, the contestant's CPU clock must stand still."""
        seconds = self._brief.limits.call_seconds
        if party is self._contestant:
            self._samples += 1
            party.run(seconds)
            return
        # The evictor has taken longer than a stop takes to reach the clock.
        before = self._contestant.cpu_ns()
        with self._faults_of(party):
            party.run(seconds)
        if moved := self._contestant.cpu_ns() - before:
            raise Suspicious("ran_while_stopped", f"{moved / 1e6:.3f} ms of CPU time while the anchor ran")

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

    def _wrong(self, case: JudgeCase, found: CheckResult, series: Series) -> CaseResult:
        text = found.family_message if case.spec.hidden or self._secret else found.message
        result = _failed(case, Verdict.WRONG, f"Wrong answer in {case.where}, in a timed call: {text}")
        return _with_error(result, series)


class _AnchorSuspicious(Suspicious):
    """The anchor's sample is void: the host's doing."""


class _AnchorFaults:
    """What fails while the anchor runs is ours."""

    def __init__(self, is_anchor: bool) -> None:
        self._is_anchor = is_anchor

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._is_anchor and isinstance(error, Suspicious):
            raise _AnchorSuspicious(error.kind, error.detail) from error
        if self._is_anchor and isinstance(error, Failed):
            raise JudgeFault(f"the anchor failed: {error.kind} {error.detail}") from error


def _failed(case: JudgeCase, verdict: Verdict, message: str) -> CaseResult:
    return CaseResult(Stage.TIME, case.spec.index, case.public_label, case.spec.hidden, verdict, message)


def _with_error(result: CaseResult, series: Series) -> CaseResult:
    return CaseResult(
        result.stage, result.index, result.label, result.hidden, result.status, result.message,
        error=series.error, anchor_error=series.anchor_error,
    )  # fmt: skip
