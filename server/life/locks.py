"""Row locks, always in the order board, run, attempt, submission, so that no two transactions wait for each other."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.models import Attempt, AttemptState, Board, Run

LIVE_ATTEMPTS = (AttemptState.SENT, AttemptState.STARTED)


def lock_board_of(session: Session, run_id: int) -> None:
    """Let one transaction at a time decide on the runs of the board that the run is for. Others may still submit."""
    board_id = select(Run.board_id).where(Run.id == run_id).scalar_subquery()
    session.execute(select(Board.id).where(Board.id == board_id).with_for_update(key_share=True))


def lock_run(session: Session, run_id: int) -> Run | None:
    """The run as it is now, locked until the transaction ends. (SQLite locks the whole database at BEGIN.)"""
    return session.scalar(
        select(Run).where(Run.id == run_id).with_for_update(of=Run).execution_options(populate_existing=True)
    )


def lock_attempt(session: Session, attempt_id: int) -> Attempt | None:
    """The attempt, re-read after its run was locked."""
    run_id = session.scalar(select(Attempt.run_id).where(Attempt.id == attempt_id))
    if run_id is None or lock_run(session, run_id) is None:
        return None
    return session.scalar(select(Attempt).where(Attempt.id == attempt_id).execution_options(populate_existing=True))


def live_attempt(session: Session, run_id: int) -> Attempt | None:
    """The one attempt that may still report for the run, if any. Lock the run first."""
    return session.scalar(
        select(Attempt)
        .where(Attempt.run_id == run_id, Attempt.state.in_(LIVE_ATTEMPTS))
        .order_by(Attempt.number.desc())
        .limit(1)
    )
