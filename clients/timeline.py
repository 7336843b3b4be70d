"""How far a submission has come, told by its events. Knows nothing of terminals.

What is kept and returned is made harmless here, so that the displays need not care.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from clients.clean import line
from clients.results import Event, Run

WAITING = frozenset({"queued", "dispatched"})
MOST_BARE_LINES = 10


@dataclass
class Step:
    """A stage of the way; `done` of `total` cases, and what is happening in it now."""

    name: str
    total: int | None = None
    done: int = 0
    failed: int = 0
    now: str = ""
    is_over: bool = False


class Timeline:
    """The steps so far; fed by `take` and `look`, shown by a display."""

    def __init__(self) -> None:
        self.state = "queued"
        self.waiting = ""
        self.steps: list[Step] = []

    @property
    def is_waiting(self) -> bool:
        """Whether no runner has begun with it."""
        return self.state in WAITING

    def look(self, run: Run | None) -> str | None:
        """Take in a run's place in the queue; returns a line if it says something new."""
        if run is None or not self.is_waiting:
            return None
        before, self.waiting = self.waiting, place_in_queue(run)
        return self.waiting if self.waiting != before and self.waiting else None

    def take(self, event: Event) -> str | None:
        """Take in an event; returns a line for those that are worth one. Unknown kinds are passed over."""
        teller = getattr(self, f"_on_{event.kind}", None) if event.kind.isidentifier() else None
        return teller(event.data) if teller is not None else None

    def _on_queued(self, _data: dict[str, Any]) -> str:
        self.state = "queued"
        return "queued"

    def _on_dispatched(self, _data: dict[str, Any]) -> str:
        self.state, self.waiting = "dispatched", ""
        return "sent to a runner"

    def _on_running(self, _data: dict[str, Any]) -> str:
        self.state, self.waiting = "running", ""
        return "running"

    def _on_requeued(self, data: dict[str, Any]) -> str:
        self.state, self.steps = "queued", []
        return f"queued again, by no fault of yours: {line(data.get('reason') or 'the runner was lost')}"

    def _on_stage(self, data: dict[str, Any]) -> str:
        self._finish_steps()
        self.state = "running"
        step = Step(line(data.get("stage", ""), 40), total=_count(data.get("total")))
        self.steps.append(step)
        return f"{step.name}: {step.total} cases" if (step.total or 0) > 1 else step.name

    def _on_case(self, data: dict[str, Any]) -> str | None:
        step = self._step(line(data.get("stage", ""), 40))
        status, label = line(data.get("status", ""), 40), line(data.get("label", ""), 100)
        step.done, step.now = step.done + 1, ""
        step.failed += status not in ("", "passed")
        if not (label or status) and (step.total or 0) > MOST_BARE_LINES:
            return None
        count = f"{step.done} of {step.total}" if step.total else f"{step.done}"
        return ": ".join(part for part in (f"  {step.name} {count}", label, status) if part)

    def _on_progress(self, data: dict[str, Any]) -> None:
        done, total = _count(data.get("done")), _count(data.get("total"))
        if done is not None:
            step = self._step(line(data.get("stage", ""), 40))
            step.now = f"{done} of {total}" if total else f"{done}"

    def _on_verdict(self, data: dict[str, Any]) -> str:
        self._finish_steps()
        self.state = "judged"
        self.steps.append(Step("guard"))
        return f"judged: {line(data.get('verdict', ''), 40)}"

    def _on_decided(self, data: dict[str, Any]) -> str:
        self._finish_steps()
        self.state = "finished"
        return f"guard: {line(data.get('decision', ''), 40)}"

    def _on_confirmation(self, data: dict[str, Any]) -> str:
        return f"confirmation of the record: {line(data.get('state', ''), 40)}"

    def _on_cancelled(self, _data: dict[str, Any]) -> str:
        self._finish_steps()
        self.state = "cancelled"
        return "cancelled"

    def _step(self, name: str) -> Step:
        if not self.steps or self.steps[-1].name != name:
            self._finish_steps()
            self.steps.append(Step(name))
        return self.steps[-1]

    def _finish_steps(self) -> None:
        for step in self.steps:
            step.is_over, step.now = True, ""


def place_in_queue(run: Run) -> str:
    """Where a run stands in the queue and how long that may take, or why nobody can serve it; else nothing."""
    if run.waiting_reason:
        return f"waiting: {line(run.waiting_reason)}"
    if run.state != "queued" or run.position is None:
        return ""
    eta = "" if run.eta_seconds is None else f", about {duration(run.eta_seconds)}"
    return f"number {run.position} in the queue for {line(run.device, 40)}{eta}"


def duration(seconds: float) -> str:
    """A wait, in the unit that people would use."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31 else None
