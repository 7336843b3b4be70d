"""The events of a submission: written with the change they tell of, read in order by the event stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from runners.protocol import Mode, Stage
from server.models import LIVE_STATES, Run, RunReason, Submission, SubmissionEvent

PROGRESS_KINDS = ("stage", "case", "progress")
SHOWN_WHILE_RUNNING: dict[str, tuple[str, ...]] = {
    "stage": ("stage", "total"),
    "case": ("stage", "index", "label", "hidden", "status"),
    "progress": ("stage", "index", "done", "total"),
}
SHOWN_WHILE_RANKED: dict[str, tuple[str, ...]] = {
    "stage": ("stage", "total"),
    "case": ("stage",),
    "progress": ("stage", "done", "total"),
}
CONFIRMATION_STATES = {"running": "running", "requeued": "queued"}
LONGEST_TEXT = 500


def add_event(session: Session, submission_id: int, kind: str, data: Mapping[str, Any] | None = None) -> None:
    """Append an event. The submission's row is locked first, so ids commit in order and no reader skips one."""
    session.execute(select(Submission.id).where(Submission.id == submission_id).with_for_update())
    session.add(SubmissionEvent(submission_id=submission_id, kind=kind, data=dict(data or {})))
    session.flush()


def add_run_event(session: Session, run: Run, kind: str, data: Mapping[str, Any] | None = None) -> None:
    """Append an event of `run`. Of a run that confirms, only whether it waits or runs: it is not its author's."""
    if run.reason == RunReason.SUBMITTED:
        add_event(session, run.submission_id, kind, data)
    elif kind in CONFIRMATION_STATES:
        add_event(session, run.submission_id, "confirmation", {"state": CONFIRMATION_STATES[kind]})


def add_end_if_done(session: Session, run: Run) -> None:
    """Close the stream once no run that its author asked for is live. Call after the last change, before the commit."""
    session.flush()
    if run.reason == RunReason.SUBMITTED and is_done(session, run.submission_id):
        add_event(session, run.submission_id, "end")


def events_after(session: Session, submission_id: int, after: int, limit: int = 500) -> Sequence[SubmissionEvent]:
    """Events with an id above `after`, oldest first."""
    return session.scalars(
        select(SubmissionEvent)
        .where(SubmissionEvent.submission_id == submission_id, SubmissionEvent.id > after)
        .order_by(SubmissionEvent.id)
        .limit(limit)
    ).all()


def is_done(session: Session, submission_id: int) -> bool:
    """Whether every run that the submission's author asked for has come to its end."""
    live = select(Run.id).where(
        Run.submission_id == submission_id, Run.reason == RunReason.SUBMITTED, Run.state.in_(LIVE_STATES)
    )
    return session.scalar(live.limit(1)) is None


def progress_for_author(mode: Mode, kind: str, data: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the author may see of a runner's progress event, None if nothing.

    A ranked run shows stages and counts alone; of a hidden case no mode shows what it is. Anything that is not one of
    the declared fields, or not of its form, is dropped: a runner's events are best-effort.
    """
    is_secret = mode == Mode.RANKED or bool(data.get("hidden"))
    allowed = (SHOWN_WHILE_RANKED if is_secret else SHOWN_WHILE_RUNNING).get(kind)
    if allowed is None or data.get("stage") not in list(Stage):
        return None
    return {name: data[name] for name in allowed if name in data and _is_plain(data[name])}


def _is_plain(value: Any) -> bool:
    return isinstance(value, (bool, int, float)) or (isinstance(value, str) and len(value) <= LONGEST_TEXT)
