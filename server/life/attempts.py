"""What the holder of an attempt's token may do: start once, keep its lease, tell progress, let go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from problems.requirements import unmet
from runners.protocol import CaseSpec, Mode, encode
from server.errors import Refusal
from server.life.dispatch import limits_of, untried
from server.life.ending import end_attempt, mark_cancelled, requeue_or_fail
from server.life.events import PROGRESS_KINDS, add_run_event, progress_for_author
from server.life.fitness import requirements_of
from server.life.locks import live_attempt, lock_attempt
from server.models import Attempt, AttemptState, Run, RunnerHost, RunState, utc_now
from server.settings import Settings

HOLDING = {AttemptState.SENT: RunState.DISPATCHED, AttemptState.STARTED: RunState.RUNNING}


@dataclass(frozen=True)
class Pulse:
    """The answer to a heartbeat: `cancel`: stop and let go; `lost`: stop, the run is somebody else's now."""

    cancel: bool
    lost: bool


def holds(session: Session, attempt: Attempt) -> bool:
    """Whether the attempt is the one that its run waits for. Lock the run first."""
    current = live_attempt(session, attempt.run_id)
    return current is not None and current.id == attempt.id and attempt.run.state == HOLDING[attempt.state]


def start(session: Session, settings: Settings, attempt_id: int, runner: str) -> dict[str, Any]:
    """Begin the attempt; the brief's fields, as JSON values. A job that was delivered twice is refused (409)."""
    attempt = lock_attempt(session, attempt_id)
    if attempt is None or attempt.state != AttemptState.SENT or not holds(session, attempt):
        raise Refusal(409, "attempt_over", "Attempt over", "This attempt was started or given up before: drop the job.")
    run = attempt.run
    if run.cancel_requested:
        end_attempt(attempt, AttemptState.CANCELLED)
        mark_cancelled(session, run)
        session.commit()
        raise Refusal(409, "cancelled", "Cancelled", "The author cancelled this run: drop the job.")
    _refuse_unfit(session, attempt, runner)
    now = utc_now()
    attempt.state = AttemptState.STARTED
    attempt.runner = runner
    attempt.started_at = run.started_at = now
    attempt.lease_expires_at = now + timedelta(seconds=settings.lease_seconds)
    run.state = RunState.RUNNING
    add_run_event(session, run, "running", {"attempt": attempt.number})
    brief = brief_of(run)
    session.commit()
    return brief


def _refuse_unfit(session: Session, attempt: Attempt, runner: str) -> None:
    """Refuse (409) a runner that lacks what the board demands, and put the run back: a fit one shall have it."""
    requires = requirements_of(attempt.run.submission.board)
    if not requires:
        return
    host = session.scalar(select(RunnerHost).where(RunnerHost.name == runner))
    lacking = unmet(requires, host.level if host is not None else {})
    if not lacking:
        return
    why = f"runner {runner or '?'} lacks {', '.join(lacking)}"
    untried(session, attempt.run, attempt, why, "It came to a runner that this board does not take; trying another.")
    session.commit()
    raise Refusal(409, "unfit_runner", "Unfit runner", f"This board demands more of its host: {why}. Drop the job.")


def brief_of(run: Run) -> dict[str, Any]:
    """What a runner must know to judge `run`. Hidden cases are for ranked runs alone."""
    submission = run.submission
    board = submission.board
    hidden = board.hidden if run.mode == Mode.RANKED else []
    return {
        "mode": run.mode.value,
        "source": submission.source,
        "file_name": submission.file_name,
        "nonce": run.nonce,
        "hidden": [encode(CaseSpec(index, params, hidden=True)) for index, params in enumerate(hidden)],
        "limits": encode(limits_of(board)),
        "problem": board.problem.slug,
        "problem_digest": board.problem.digest,
    }


def heartbeat(session: Session, settings: Settings, attempt_id: int) -> Pulse:
    """Renew the lease of a started attempt."""
    attempt = lock_attempt(session, attempt_id)
    if attempt is None or attempt.state != AttemptState.STARTED or not holds(session, attempt):
        return Pulse(cancel=False, lost=True)
    attempt.lease_expires_at = utc_now() + timedelta(seconds=settings.lease_seconds)
    session.commit()
    return Pulse(cancel=attempt.run.cancel_requested, lost=False)


def progress(session: Session, attempt_id: int, events: Iterable[Mapping[str, Any]]) -> int:
    """Record what the author may see of a runner's events. Returns how many that were."""
    attempt = lock_attempt(session, attempt_id)
    if attempt is None or attempt.state != AttemptState.STARTED or not holds(session, attempt):
        return 0
    recorded = 0
    for event in events:
        kind = event["kind"]
        shown = progress_for_author(attempt.run.mode, kind, event["data"]) if kind in PROGRESS_KINDS else None
        if shown is not None:
            add_run_event(session, attempt.run, kind, shown)
            recorded += 1
    session.commit()
    return recorded


def let_go(session: Session, settings: Settings, attempt_id: int) -> bool:
    """The runner stopped judging because it was told to. False if the attempt had been given up before."""
    attempt = lock_attempt(session, attempt_id)
    if attempt is None or not holds(session, attempt):
        return False
    if attempt.run.cancel_requested:
        end_attempt(attempt, AttemptState.CANCELLED)
        mark_cancelled(session, attempt.run)
    else:
        end_attempt(attempt, AttemptState.LOST, "let go by its runner without being told to")
        requeue_or_fail(session, settings, attempt.run, "The runner stopped; trying again.")
    session.commit()
    return True
