"""Ways a run leaves its runner without a report that counts: back to the queue, our fault, or cancelled."""

from __future__ import annotations

import secrets

from sqlalchemy.orm import Session

from runners.protocol import Verdict
from server.life.events import add_end_if_done, add_run_event
from server.models import Attempt, AttemptState, Run, RunState, utc_now
from server.settings import Settings

FAULT_MESSAGE = (
    "The judge failed, not your kernel. It was tried {tries} times, costs you nothing, and the operators were told. "
    "Submit again later."
)


def end_attempt(attempt: Attempt, state: AttemptState, reason: str = "") -> None:
    """The attempt may report no more."""
    attempt.state = state
    attempt.ended_at = utc_now()
    attempt.reason = reason


def requeue_or_fail(session: Session, settings: Settings, run: Run, reason: str) -> bool:
    """Queue the run again, or, after the last try, end it as our fault. True if it was queued.

    A requeued run gets a fresh nonce: what the lost attempt saw is worth nothing.
    """
    if run.cancel_requested:
        mark_cancelled(session, run)
        return False
    if run.attempt_count < settings.max_attempts:
        run.state = RunState.QUEUED
        run.started_at = None
        run.nonce = secrets.token_hex(32)
        add_run_event(session, run, "requeued", {"reason": reason})
        return True
    now = utc_now()
    run.state = RunState.FINISHED
    run.verdict = Verdict.JUDGE_FAULT
    run.message = FAULT_MESSAGE.format(tries=run.attempt_count)
    run.judged_at = run.finished_at = now
    add_run_event(session, run, "verdict", {"verdict": run.verdict.value, "message": run.message})
    add_end_if_done(session, run)
    return False


def mark_cancelled(session: Session, run: Run) -> None:
    """The run is over at its author's wish."""
    run.state = RunState.CANCELLED
    run.finished_at = utc_now()
    run.message = "Cancelled."
    add_run_event(session, run, "cancelled")
    add_end_if_done(session, run)
