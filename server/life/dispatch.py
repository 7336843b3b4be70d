"""The dispatcher: as many runs to the runners as their live slots can start, never more.

What is sent is therefore started at once, and everything else is still in our queue, where its position is known and
it can be cancelled.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session, sessionmaker

from runners.protocol import Job, Limits
from server.auth import digest_of
from server.db import session_scope
from server.life.ending import end_attempt
from server.life.events import add_run_event
from server.life.fitness import free_fit_slots, live_hosts, requirements_of
from server.life.locks import lock_run
from server.life.ordering import Waiting, in_flight, live_slots, queue_order
from server.models import Attempt, AttemptState, Board, Run, RunnerHost, RunState, utc_now
from server.settings import Settings

log = logging.getLogger(__name__)

Sender = Callable[[Job], None]


@dataclass(frozen=True)
class Claim:
    """A run taken from the queue, and the job that says so to a runner."""

    run_id: int
    attempt_id: int
    job: Job


def dispatch_all(sessions: sessionmaker[Session], settings: Settings, send: Sender) -> int:
    """Send whatever can be started on any device. Returns how many runs were sent."""
    with session_scope(sessions) as session:
        devices = session.scalars(select(Run.device).where(Run.state == RunState.QUEUED).distinct()).all()
    return sum(dispatch_device(sessions, settings, device, send) for device in devices)


def dispatch_device(sessions: sessionmaker[Session], settings: Settings, device: str, send: Sender) -> int:
    """Fill the free slots of `device`. A job that cannot be sent goes back to its place in the queue."""
    with session_scope(sessions) as session:
        claims = claim_next(session, settings, device)
    sent = 0
    for claim in claims:
        try:
            send(claim.job)
            sent += 1
        except Exception as error:
            log.warning("cannot send run %d: %s", claim.run_id, error)
            with session_scope(sessions) as session:
                take_back(session, claim)
    return sent


def claim_next(session: Session, settings: Settings, device: str) -> Sequence[Claim]:
    """Claim as many queued runs as `device` has free slots. The caller commits, then sends.

    A run whose board demands something of its host waits for a slot of a runner that offers it, and lets others pass.
    """
    # Locking the device's runner rows lets one dispatcher at a time count its slots.
    session.execute(select(RunnerHost.id).where(RunnerHost.device == device).order_by(RunnerHost.id).with_for_update())
    free = live_slots(session, settings, device) - in_flight(session, device)
    if free < 1:
        return []
    claims: list[Claim] = []
    for waiting in queue_order(session, settings, device):
        if not _fits(session, settings, waiting):
            continue
        claim = _claim(session, settings, waiting.run_id)
        if claim is not None:
            claims.append(claim)
        if len(claims) == free:
            break
    return claims


def _fits(session: Session, settings: Settings, waiting: Waiting) -> bool:
    board = session.get_one(Board, waiting.board_id)
    requires = requirements_of(board)
    if not requires:
        return True
    hosts = live_hosts(session, settings, board.device)
    return free_fit_slots(session, hosts, board.device, requires) > 0


def _claim(session: Session, settings: Settings, run_id: int) -> Claim | None:
    claimed = session.execute(
        update(Run)
        .where(Run.id == run_id, Run.state == RunState.QUEUED, Run.cancel_requested.is_(False))
        .values(state=RunState.DISPATCHED, attempt_count=Run.attempt_count + 1)
        .execution_options(synchronize_session=False)
    )
    if claimed.rowcount != 1:  # type: ignore[attr-defined]
        return None
    run = lock_run(session, run_id)
    if run is None:
        return None
    token = secrets.token_urlsafe(32)
    attempt = Attempt(
        run_id=run_id,
        number=1 + (session.scalar(select(func.max(Attempt.number)).where(Attempt.run_id == run_id)) or 0),
        token_digest=digest_of(token),
        lease_expires_at=utc_now() + timedelta(seconds=settings.lease_seconds),
    )
    session.add(attempt)
    session.flush()
    add_run_event(session, run, "dispatched", {"attempt": attempt.number})
    return Claim(run_id, attempt.id, job_for(settings, run, attempt, token))


def job_for(settings: Settings, run: Run, attempt: Attempt, token: str) -> Job:
    """The signed job of an attempt."""
    board = run.submission.board
    job = Job(
        run_id=run.id,
        attempt_id=attempt.id,
        mode=run.mode,
        device=run.device,
        problem=board.problem.slug,
        problem_digest=board.problem.digest,
        api_url=settings.api_url,
        token=token,
        limits=limits_of(board),
    )
    return job.signed(settings.runner_key.encode())


def limits_of(board: Board) -> Limits:
    """The default limits, changed by what the problem, then the board, says."""
    defaults = Limits()
    chosen = {**(board.problem.spec.get("limits") or {}), **board.limits}
    known = {name: type(value) for name, value in vars(defaults).items()}
    return replace(defaults, **{name: known[name](value) for name, value in chosen.items() if name in known})


def take_back(session: Session, claim: Claim) -> None:
    """Undo a claim whose job could not be sent."""
    run = lock_run(session, claim.run_id)
    attempt = session.get(Attempt, claim.attempt_id)
    if run is None or attempt is None or attempt.state != AttemptState.SENT or run.state != RunState.DISPATCHED:
        return
    untried(session, run, attempt, "the broker did not take the job", "The runners cannot be reached; trying again.")


def untried(session: Session, run: Run, attempt: Attempt, why: str, told: str) -> None:
    """Put a dispatched run back to its place. It was never tried, so it does not count as an attempt.

    `why` is for the operator, `told` for the author. Lock the run first.
    """
    end_attempt(attempt, AttemptState.LOST, why)
    run.state = RunState.QUEUED
    run.attempt_count -= 1
    add_run_event(session, run, "requeued", {"reason": told})
