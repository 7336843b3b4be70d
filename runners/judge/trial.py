"""The build and test stage: load the submission, test it, let it meet every shape that will be timed."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable

from runners.judge.answers import Failed
from runners.judge.cases import JudgeCase
from runners.judge.layout import plan_layout
from runners.judge.party import Party
from runners.judge.wording import word_failure
from runners.protocol import Brief, CaseResult, Event, Mode, Stage, Verdict

Emit = Callable[[Event], None]


class Ended(Exception):
    """The run is decided before its end: the verdict, the stage and the author's message."""

    def __init__(self, verdict: Verdict, stage: Stage, message: str, failure: Failed | None = None) -> None:
        super().__init__(message)
        self.verdict = verdict
        self.stage = stage
        self.message = message
        self.failure = failure


def load(party: Party, brief: Brief, source: str, files: dict[str, str], stage: Stage, threads: int) -> None:
    """Load a source into a party. Raises Failed."""
    command = {
        "op": "load", "stage": "time" if stage is Stage.TIME else "build",
        "source": source, "files": files, "threads": threads,
    }  # fmt: skip
    party.command(command, brief.limits.build_seconds)


def rehearse(party: Party, brief: Brief, cases: list[JudgeCase]) -> None:
    """Call the kernel where it is timed as the build stage did: every shape in the same order. Raises Ended.

    A compiler that specialises by what it has seen before (Dynamo makes a second shape dynamic) asks its cache for
    the same things then. The values are of no worth, and no clock runs.
    """
    for case in cases:
        try:
            data = case.junk(os.urandom(32))
            party.call(plan_layout(data, case.forms(), 1), data, brief.limits.build_seconds)
        except Failed as failure:
            where = f"{case.where}, called before timing (no process can be started there)"
            verdict, message = word_failure(failure, where, brief.limits, brief.mode is Mode.RANKED)
            raise Ended(verdict, Stage.TIME, message, failure) from failure


class Trial:
    """Runs one contestant through the test cases and the shapes to come."""

    def __init__(self, party: Party, brief: Brief, emit: Emit) -> None:
        self._party = party
        self._brief = brief
        self._emit = emit
        self._compile_seconds = brief.limits.build_seconds
        self.results: list[CaseResult] = []
        self.inputs_written = False

    def load(self, files: dict[str, str], threads: int) -> None:
        """Compile and import the submission. Raises Ended."""
        self._emit(Event("stage", {"stage": Stage.BUILD, "total": 1}))
        begin = time.monotonic()
        try:
            load(self._party, self._brief, self._brief.source, files, Stage.BUILD, threads)
        except Failed as failure:
            self._end(Stage.BUILD, "loading the submission", failure, secret=False)
        self._compile_seconds -= time.monotonic() - begin

    def test(self, cases: list[JudgeCase]) -> None:
        """Judge every test case in full; the first that fails ends the run. Raises Ended.

        A call may compile: what loading left of the build's time is there for calls that take longer than a call may.
        """
        self._emit(Event("stage", {"stage": Stage.TEST, "total": len(cases)}))
        deadline = time.monotonic() + self._brief.limits.test_seconds
        for case in cases:
            result, failure = self._test_one(case, max(0.1, deadline - time.monotonic()))
            self.results.append(result)
            self._emit(Event("case", case_event(case, result)))
            if result.status is not Verdict.PASSED:
                raise Ended(result.status, Stage.TEST, result.message, failure)

    def meet(self, cases: list[JudgeCase]) -> None:
        """Call the kernel once in every shape that will be timed, with values of no worth. Raises Ended."""
        for case in cases:
            try:
                data = case.junk(os.urandom(32))
                self._party.call(plan_layout(data, case.forms(), 1), data, self._brief.limits.build_seconds)
            except Failed as failure:
                self._end(Stage.BUILD, case.where, failure, secret=self._brief.mode is Mode.RANKED)

    def _test_one(self, case: JudgeCase, seconds: float) -> tuple[CaseResult, Failed | None]:
        limit = min(seconds, math.ceil(self._brief.limits.call_seconds + max(0.0, self._compile_seconds)))
        try:
            data = case.inputs(0)
            answer = self._party.call(plan_layout(data, case.forms(), 1), data, limit)
            self.inputs_written |= self._party.desk.inputs_changed(0, data)
        except Failed as failure:
            verdict, message = word_failure(failure, case.where, self._brief.limits, secret=False)
            return CaseResult(Stage.TEST, case.spec.index, case.public_label, False, verdict, message), failure
        found = case.check(data, answer.form, answer.outputs, 0, full=True)
        status = Verdict.PASSED if found.ok else Verdict.WRONG
        message = "" if found.ok else f"Wrong answer in {case.where}: {found.message}"
        return CaseResult(Stage.TEST, case.spec.index, case.public_label, False, status, message, found.error), None

    def _end(self, stage: Stage, where: str, failure: Failed, secret: bool) -> None:
        verdict, message = word_failure(failure, where, self._brief.limits, secret)
        raise Ended(verdict, stage, message, failure) from failure


def case_event(case: JudgeCase, result: CaseResult) -> dict[str, object]:
    """What watchers may know of a case that is done."""
    return {
        "stage": case.stage, "index": case.spec.index, "label": case.public_label,
        "hidden": case.spec.hidden, "status": result.status,
    }  # fmt: skip
