"""The sweeper: looks at every state a run can be stuck in, and moves it on.

Each method answers "was there work?" and is safe to run at any time, in any number of processes:

1. `expired_leases`: an attempt whose runner went silent is lost; its run is queued again, fails as our fault after the
   last try, or is cancelled if that was asked for.
2. `stranded_runs`: a run that says it is with a runner, without a live attempt (a crash between two commits cannot
   cause it; a restored backup can), is queued again.
3. `undispatched_runs`: queued runs that free slots could start are sent, in case the doorbell was lost.
4. `undecided_runs`: judged runs that the guard has not decided are rung again.
5. `unanswered_claims`: claims to a record whose confirming run failed through our fault get another one.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from server.db import session_scope
from server.life.confirm import make_up
from server.life.dispatch import Sender, dispatch_all
from server.life.ending import end_attempt, requeue_or_fail
from server.life.locks import LIVE_ATTEMPTS, live_attempt, lock_attempt, lock_run
from server.life.ordering import IN_FLIGHT
from server.models import Attempt, AttemptState, Run, RunState, utc_now
from server.settings import Settings

log = logging.getLogger(__name__)

BATCH = 200


class Sweeper:
    """One process's sweeper. `send` sends a job, `ring_guard` asks for a decision on a run."""

    def __init__(
        self,
        sessions: sessionmaker[Session],
        settings: Settings,
        send: Sender,
        ring_guard: Callable[[int], None],
    ) -> None:
        self._sessions = sessions
        self._settings = settings
        self._send = send
        self._ring_guard = ring_guard
        self._rung: dict[int, float] = {}

    def sweep(self) -> bool:
        """Do all of it once."""
        worked = [
            self.expired_leases(),
            self.stranded_runs(),
            self.undispatched_runs(),
            self.undecided_runs(),
            self.unanswered_claims(),
        ]
        return any(worked)

    def expired_leases(self) -> bool:
        """Give up attempts whose lease ran out."""
        with session_scope(self._sessions) as session:
            expired = session.scalars(
                select(Attempt.id)
                .where(Attempt.state.in_(LIVE_ATTEMPTS), Attempt.lease_expires_at < utc_now())
                .limit(BATCH)
            ).all()
        return sum(self._give_up(attempt_id) for attempt_id in expired) > 0

    def _give_up(self, attempt_id: int) -> bool:
        with session_scope(self._sessions) as session:
            attempt = lock_attempt(session, attempt_id)
            if attempt is None or attempt.state not in LIVE_ATTEMPTS or attempt.lease_expires_at >= utc_now():
                return False
            never_started = attempt.state == AttemptState.SENT
            silent = "never started it" if never_started else "went silent"
            end_attempt(attempt, AttemptState.LOST, f"lease expired: the runner {silent}")
            if attempt.run.state in IN_FLIGHT and live_attempt(session, attempt.run_id) is None:
                # A job that the broker lost, or that no runner took, was never tried.
                attempt.run.attempt_count -= int(never_started)
                requeue_or_fail(session, self._settings, attempt.run, "The runner went silent; trying again.")
            log.warning("lease expired", extra={"attempt": attempt.id, "run": attempt.run_id, "runner": attempt.runner})
        return True

    def stranded_runs(self) -> bool:
        """Queue runs again that nobody holds."""
        live = select(Attempt.id).where(Attempt.run_id == Run.id, Attempt.state.in_(LIVE_ATTEMPTS)).exists()
        with session_scope(self._sessions) as session:
            stranded = session.scalars(select(Run.id).where(Run.state.in_(IN_FLIGHT), ~live).limit(BATCH)).all()
        return sum(self._rescue(run_id) for run_id in stranded) > 0

    def _rescue(self, run_id: int) -> bool:
        with session_scope(self._sessions) as session:
            run = lock_run(session, run_id)
            if run is None or run.state not in IN_FLIGHT or live_attempt(session, run_id) is not None:
                return False
            requeue_or_fail(session, self._settings, run, "The runner was lost; trying again.")
            log.error("run was stranded", extra={"run": run_id})
        return True

    def undispatched_runs(self) -> bool:
        """Send what can be started."""
        return dispatch_all(self._sessions, self._settings, self._send) > 0

    def undecided_runs(self) -> bool:
        """Ask the guard again for runs it should have decided by now, each at most once a retry interval."""
        now = time.monotonic()
        wait = self._settings.decide_retry_seconds
        self._rung = {run_id: rung for run_id, rung in self._rung.items() if now - rung < wait}
        with session_scope(self._sessions) as session:
            undecided = session.scalars(
                select(Run.id)
                .where(Run.state == RunState.JUDGED, Run.judged_at < utc_now() - timedelta(seconds=wait))
                .order_by(Run.id)
                .limit(BATCH)
            ).all()
        late = [run_id for run_id in undecided if run_id not in self._rung]
        for run_id in late:
            self._rung[run_id] = now
            self._ring_guard(run_id)
        return bool(late)

    def unanswered_claims(self) -> bool:
        """Have claims confirmed whose run came to nothing."""
        with session_scope(self._sessions) as session:
            return make_up(session, self._settings) > 0
