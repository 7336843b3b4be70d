"""The steps of a submission, from the queue to the result, and how far each is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from runners.protocol import Mode, Stage, Verdict
from server.models import RunState, SubmissionEvent
from server.schemas import RunOut, SubmissionOut
from web import numbers
from web.wording import KINDS, OUTCOME_LABELS, Kind, first_failure

StepState = Literal["done", "now", "todo", "failed", "held", "skipped"]
_STAGE_NAMES = {Stage.BUILD: "Build", Stage.TEST: "Test", Stage.TIME: "Time"}
_STATE_WORDS = {"todo": "to come", "held": "not ranked"}


@dataclass(frozen=True)
class Step:
    """One step; `detail` says how far it is, in a few words."""

    name: str
    state: StepState
    detail: str

    @property
    def state_words(self) -> str:
        """The state in words, for those who do not see the sign."""
        return _STATE_WORDS.get(self.state, self.state)


@dataclass
class _Progress:
    """What the events since the last try say about one stage."""

    total: int | None = None
    cases: int = 0
    sampled: str = ""


def timeline(submission: SubmissionOut, events: Sequence[SubmissionEvent]) -> list[Step]:
    """All steps of the submission's newest run, in order."""
    if not submission.runs:
        return []
    run = submission.runs[-1]
    stages = [Stage.BUILD, Stage.TEST] + ([] if run.mode == Mode.TEST else [Stage.TIME])
    progress, current = _read(events)
    steps = [_queue_step(run)]
    steps += [_stage_step(run, stages, stage, progress[stage], current) for stage in stages]
    if run.mode == Mode.RANKED or run.decision is not None:
        steps.append(_guard_step(run))
    steps.append(_result_step(submission))
    return steps


def _read(events: Sequence[SubmissionEvent]) -> tuple[dict[Stage, _Progress], Stage | None]:
    progress = {stage: _Progress() for stage in Stage}
    current: Stage | None = None
    for event in events:
        if event.kind == "requeued":
            progress, current = {stage: _Progress() for stage in Stage}, None
        stage = _stage_of(event.data)
        if stage is None:
            continue
        seen = progress[stage]
        if event.kind == "stage":
            current, seen.total = stage, _count(event.data, "total")
        elif event.kind == "case":
            seen.cases, seen.sampled = seen.cases + 1, ""
        elif event.kind == "progress":
            done, total = _count(event.data, "done"), _count(event.data, "total")
            seen.sampled = f"{done} of {total} pairs" if done is not None and total else ""
    return progress, current


def _stage_of(data: dict[str, Any]) -> Stage | None:
    try:
        return Stage(data.get("stage", ""))
    except ValueError:
        return None


def _count(data: dict[str, Any], name: str) -> int | None:
    value = data.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _queue_step(run: RunOut) -> Step:
    if run.state == RunState.QUEUED:
        place = f"place {run.position}" if run.position else "waiting"
        wait = f", about {numbers.wait(run.eta_seconds)}" if run.eta_seconds is not None else ""
        return Step("Queue", "now", place + wait)
    if run.state == RunState.DISPATCHED:
        return Step("Queue", "now", "sent to a runner")
    if run.started_at is None:
        return Step("Queue", "done" if run.state != RunState.CANCELLED else "skipped", "")
    waited = max(0.0, (run.started_at - run.queued_at).total_seconds())
    return Step("Queue", "done", f"waited {numbers.duration(waited)}" if waited >= 0.0005 else "no wait")


def _stage_step(run: RunOut, stages: list[Stage], stage: Stage, progress: _Progress, current: Stage | None) -> Step:
    name, place = _STAGE_NAMES[stage], stages.index(stage)
    if run.state in (RunState.JUDGED, RunState.FINISHED):
        return Step(name, *_judged_stage(run, stages, stage, progress.total, current))
    if run.state == RunState.CANCELLED:
        return Step(name, "skipped", "")
    if run.state != RunState.RUNNING:
        return Step(name, "todo", "")
    at = stages.index(current) if current in stages else 0
    if place != at:
        return Step(name, "done" if place < at else "todo", _of(progress) if place < at else "")
    return Step(name, "now", ", ".join(part for part in (_of(progress), progress.sampled) if part))


def _of(progress: _Progress) -> str:
    if progress.total and progress.total > 1:
        return f"{progress.cases} of {progress.total}"
    return str(progress.cases) if progress.cases else ""


def _judged_stage(
    run: RunOut, stages: list[Stage], stage: Stage, total: int | None, current: Stage | None
) -> tuple[StepState, str]:
    cases = [case for case in run.cases if case.stage == stage]
    passed = sum(case.status == Verdict.PASSED for case in cases)
    count = f"{passed} of {max(len(cases), total or 0)}" if cases else ""
    if run.verdict == Verdict.PASSED:
        return "done", count
    failure = first_failure(run)
    ended = failure.stage if failure else current or Stage.BUILD
    at = stages.index(ended) if ended in stages else 0
    place = stages.index(stage)
    if place == at:
        return "failed", count
    return ("done", count) if place < at else ("skipped", "")


def _guard_step(run: RunOut) -> Step:
    if run.state == RunState.JUDGED:
        return Step("Guard", "now", "")
    if run.decision is None:
        skipped = run.state in (RunState.FINISHED, RunState.CANCELLED)
        return Step("Guard", "skipped" if skipped else "todo", "")
    detail = {"clean": "clean", "review": "wants a review", "rejected": "rejected"}[run.decision.value]
    states: dict[str, StepState] = {"clean": "done", "review": "held", "rejected": "failed"}
    return Step("Guard", states[run.decision.value], detail)


def _result_step(submission: SubmissionOut) -> Step:
    if not submission.done:
        return Step("Result", "todo", "")
    states: dict[Kind, StepState] = {"good": "done", "code": "failed"}
    return Step("Result", states.get(KINDS[submission.outcome], "held"), OUTCOME_LABELS[submission.outcome])


def current_step(steps: Sequence[Step]) -> str:
    """The step that is going on, in one line."""
    step = next((step for step in steps if step.state == "now"), None)
    if step is None:
        return "waiting"
    return f"{step.name.lower()}, {step.detail}" if step.detail else step.name.lower()
