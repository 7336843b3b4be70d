"""The judge's process: fork the cells, only then learn the Job, judge, report.

Forked by the warm server, it speaks over its channel: first a prologue (the mode and the device's peaks, nothing
secret), then, once all cells exist, the Brief; it sends events, and in the end exactly one report.
"""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from problems.loader import Problem, load
from runners.contestant import prebuilt, shim
from runners.judge import environment
from runners.judge.answers import Failed, violations_of
from runners.judge.builds import BuildStore, RunBuild, host_facts
from runners.judge.cases import JudgeCase, Peaks, test_cases, timed_cases
from runners.judge.desk import JudgeDesk, make_desk_fd, make_inputs_fd
from runners.judge.faults import JudgeFault, fault_report
from runners.judge.party import OutputTail, Party
from runners.judge.race import Race
from runners.judge.score import score_of
from runners.judge.trial import Ended, Trial, rehearse
from runners.judge.trial import load as load_source
from runners.judge.turn import cache_turn
from runners.protocol import (
    Brief,
    Event,
    Evidence,
    Limits,
    Mode,
    Report,
    Stage,
    Verdict,
    decode,
    encode,
)
from runners.sandbox.cell import CellPlan, Housing
from runners.sandbox.confine import FIRST_KEPT
from runners.sandbox.cores import CorePlan, plan_cores
from runners.sandbox.level import probe

TIMED_MODES = (Mode.BENCHMARK, Mode.RANKED)


class Channel(Protocol):
    """The judge's end of its line to the client."""

    def send(self, message: dict[str, Any]) -> None:
        """Send one message."""

    def receive(self, timeout: float | None = None) -> dict[str, Any] | None:
        """The next message, None when the client is gone."""


@dataclass
class Parties:
    """The cells of a run and what drives them."""

    trial: Party
    contestant: Party | None
    anchor: Party | None
    output: OutputTail
    build_folder: Path
    """What the contestant's cells see as /build."""


def serve(channel: Channel) -> None:
    """Judge one run and report it. The entry point of a forked judge."""
    prologue = channel.receive(None)
    if prologue is None:
        return
    mode = Mode(prologue["mode"])
    peaks = Peaks(**prologue["peaks"]) if prologue.get("peaks") else None
    level, cores = probe(), plan_cores()
    os.sched_setaffinity(0, {cores.judge})
    limits = decode(Limits, prologue["limits"])
    housing = Housing(level, limits.scratch_bytes)
    try:
        parties = _fork_parties(housing, mode, cores, limits)
        channel.send({"ready": True})
        # While the brief is on its way.
        host_facts(cores.contestant)
        message = channel.receive(None)
        if message is None:
            return
        brief = decode(Brief, message["brief"])

        def emit(event: Event) -> None:
            channel.send({"event": encode(event)})

        store = BuildStore(**message["builds"]) if message.get("builds") else None
        build = RunBuild(store, brief, parties.build_folder, cores.contestant)
        report = judge(brief, parties, cores, emit, peaks, build)
        report = replace(report, level=level.as_text(), environment=environment.describe(cores, peaks))
        # Sent first: taking the cells down takes the kernel longer than many a test, and the client waits for it
        # before its next run.
        channel.send({"report": encode(report)})
    except Exception:
        channel.send({"report": encode(fault_report(traceback.format_exc()))})
    finally:
        housing.close()


def judge(
    brief: Brief,
    parties: Parties,
    cores: CorePlan,
    emit: Callable[[Event], None],
    peaks: Peaks | None,
    build: RunBuild,
) -> Report:
    """Judge a brief with cells that exist already. What a contestant does never raises."""
    problem = load(Path(brief.problem_path))
    run = _Run(brief, problem, parties, cores, emit, peaks, build)
    try:
        run.go()
        return run.report(Verdict.PASSED, run.stage, "")
    except Ended as ended:
        return run.report(ended.verdict, ended.stage, ended.message, ended.failure)
    except JudgeFault as fault:
        return fault_report(str(fault))


class _Run:
    def __init__(
        self,
        brief: Brief,
        problem: Problem,
        parties: Parties,
        cores: CorePlan,
        emit: Callable[[Event], None],
        peaks: Peaks | None,
        build: RunBuild,
    ) -> None:
        self._brief = brief
        self._problem = problem
        self._parties = parties
        self._cores = cores
        self._nonce = bytes.fromhex(brief.nonce)
        self._emit = emit
        self._peaks = peaks
        self._build = build
        self._trial = Trial(parties.trial, brief, emit)
        self._race: Race | None = None
        self._tests: list[JudgeCase] = []
        self._durations: dict[str, float] = {}
        self._memory = 0
        self.stage = Stage.TEST

    def go(self) -> None:
        """Build, test, and time where the mode asks for it. Raises Ended."""
        brief, problem = self._brief, self._problem
        threads = len(self._cores.contestant)
        timed = timed_cases(problem, brief.hidden, self._nonce)
        try:
            self._build_and_test(threads)
        except Ended:
            if not self._build.restored:
                raise
            self._build.drop()
            raise JudgeFault("the submission failed on a kept build, which is dropped: judge it again") from None
        if brief.mode in TIMED_MODES:
            with self._timed("meet"):
                self._trial.meet(timed)
            self._note_trial()
            # The build cell is dead, with all it started, before anything is timed.
            self._parties.trial.kill()
            with self._timed("time"):
                self._time(timed, threads)
        else:
            self._note_trial()

    def _build_and_test(self, threads: int) -> None:
        with self._timed("build"):
            self._build.restore()
            self._trial.load(self._problem.contestant_files(), threads)
        if self._brief.mode is Mode.BENCHMARK:
            return
        self._tests = test_cases(self._problem, self._nonce)
        with self._timed("test"):
            self._trial.test(self._tests)
        self._build.keep()

    def report(self, verdict: Verdict, stage: Stage, message: str, failure: Failed | None = None) -> Report:
        """The report of what has happened so far."""
        race = self._race
        results = tuple(self._trial.results) + (tuple(race.results) if race else ())
        passed = verdict is Verdict.PASSED and race is not None
        return Report(
            verdict=verdict,
            stage=stage,
            message=message,
            cases=results,
            score=score_of(self._problem.spec.ranking_by, race.results, race.intervals) if passed and race else None,
            evidence=Evidence(
                violations=violations_of(failure, stage),
                inputs_written=self._trial.inputs_written,
                peak_memory_bytes=self._memory,
                void_samples=race.strikes if race else 0,
            ),
            durations={name: round(seconds, 4) for name, seconds in self._durations.items()},
            nonce=self._brief.nonce,
            output="" if self._brief.mode is Mode.RANKED else self._parties.output.text(),
        )

    def _time(self, timed: list[Any], threads: int) -> None:
        contestant, anchor = self._parties.contestant, self._parties.anchor
        if contestant is None or anchor is None:
            raise JudgeFault("the mode is timed, but no cells were made for timing")
        self.stage = Stage.TIME
        files = self._problem.contestant_files()
        try:
            load_source(anchor, self._brief, self._problem.anchor_source(), files, Stage.TIME, threads)
        except Failed as failure:
            raise JudgeFault(f"the anchor could not be loaded: {failure.kind} {failure.detail}") from failure
        race = Race(contestant, anchor, self._brief, self._emit, self._peaks, spin=self._cores.own_core)
        self._race = race
        race.load_contestant(self._brief.source, files, threads)
        with self._timed("rehearse"):
            rehearse(contestant, self._brief, [*self._tests, *timed])
        with cache_turn(self._cores.contestant[0]):
            race.run(timed)
        self._memory = max(self._memory, contestant.cell.memory_peak())

    def _note_trial(self) -> None:
        """Keep what only the living build cell tells."""
        self._parties.output.drain()
        self._memory = self._parties.trial.cell.memory_peak()

    def _timed(self, name: str) -> _Stopwatch:
        return _Stopwatch(self._durations, name)


class _Stopwatch:
    def __init__(self, durations: dict[str, float], name: str) -> None:
        self._durations = durations
        self._name = name

    def __enter__(self) -> None:
        self._begin = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self._durations[self._name] = time.monotonic() - self._begin


def _fork_parties(housing: Housing, mode: Mode, cores: CorePlan, limits: Limits) -> Parties:
    """All cells of the run. Desks are mapped here only when the last cell is forked: none inherits another's."""
    read, write = os.pipe()
    plans = [_plan("build", "build", cores, limits, write)]
    if mode in TIMED_MODES:
        plans += [
            _plan("contestant", "time", cores, limits, None),
            _plan("anchor", "time", cores, limits, None),
        ]
    trial_inputs, race_inputs = make_inputs_fd(), make_inputs_fd()
    pairs = [(make_desk_fd(), trial_inputs if plan.stage == "build" else race_inputs) for plan in plans]
    cells = housing.spawn_together(
        [(replace(plan, keep_fds=pair), partial(_enter, plan)) for plan, pair in zip(plans, pairs, strict=True)]
    )
    os.close(write)
    output = OutputTail(read, limits.output_bytes, limits.output_kill_bytes)
    count = len(cores.contestant)
    parties = [
        Party(cell, JudgeDesk(*pair), count, output if plan.output is not None else None)
        for cell, pair, plan in zip(cells, pairs, plans, strict=True)
    ]
    for fd in (*(desk for desk, _ in pairs), trial_inputs, race_inputs):
        os.close(fd)
    return Parties(
        trial=parties[0],
        contestant=parties[1] if len(parties) > 1 else None,
        anchor=parties[2] if len(parties) > 1 else None,
        output=output,
        build_folder=housing.build_folder(plans[0]),
    )


def _enter(plan: CellPlan) -> None:
    """What runs in a cell. Never returns."""
    if plan.stage == "build":
        prebuilt.remember()
    shim.enter(FIRST_KEPT, FIRST_KEPT + 1)


def _plan(name: str, stage: str, cores: CorePlan, limits: Limits, output: int | None) -> CellPlan:
    return CellPlan(
        name=name,
        stage="build" if stage == "build" else "time",
        cores=cores.contestant,
        memory_bytes=limits.memory_bytes,
        processes=limits.processes,
        scratch_bytes=limits.scratch_bytes,
        output=output,
        keep_fds=(),
    )
