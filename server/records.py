"""Who holds a board's record, and what is shown of claims to it. Claims are made and settled by server.life.confirm."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.kernels import Kernel, find_kernel
from server.models import Board, Claim, ClaimState, Record, Run, RunState
from server.schemas import ConfirmationShown

BEGUN = (RunState.RUNNING, RunState.JUDGED)


def newest_record(session: Session, board: Board) -> tuple[Record, Kernel] | None:
    """The newest record of `board` that still stands, with the kernel's figures of now."""
    for record in session.scalars(select(Record).where(Record.board_id == board.id).order_by(Record.id.desc())):
        kernel = find_kernel(session, board, record.user_id, record.canonical_digest)
        if kernel is not None:
            return record, kernel
    return None


def holder(session: Session, board: Board) -> Kernel | None:
    """The kernel that holds the record of `board`; None if none ever took it, or none that did still stands."""
    found = newest_record(session, board)
    return found[1] if found is not None else None


def shown(state: ClaimState, run_state: RunState) -> ConfirmationShown:
    """A claim in one word; one whose run failed through our fault waits for another."""
    if state == ClaimState.OPEN:
        return "running" if run_state in BEGUN else "queued"
    return "confirmed" if state == ClaimState.CONFIRMED else "refuted"


def awaited(confirmation: ConfirmationShown) -> bool:
    """Whether a fresh run has still to agree."""
    return confirmation in ("queued", "running")


def shown_confirmations(session: Session, board: Board) -> dict[tuple[int, str], ConfirmationShown]:
    """How the newest claim of each kernel of `board` that made one stands, by the kernel's key."""
    rows = session.execute(
        select(Claim.user_id, Claim.canonical_digest, Claim.state, Run.state)
        .join(Run, Run.id == Claim.confirming_id)
        .where(Claim.board_id == board.id)
        .order_by(Claim.id)
    )
    return {(user, digest): shown(state, run_state) for user, digest, state, run_state in rows}


def confirmations_of(session: Session, runs: list[Run]) -> dict[int, ConfirmationShown]:
    """How the newest claim that each of `runs` gave rise to stands, by the run's id."""
    rows = session.execute(
        select(Claim.run_id, Claim.state, Run.state)
        .join(Run, Run.id == Claim.confirming_id)
        .where(Claim.run_id.in_([run.id for run in runs]))
        .order_by(Claim.id)
    )
    return {run_id: shown(state, run_state) for run_id, state, run_state in rows}
