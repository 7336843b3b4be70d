"""Records: claiming, confirming and taking them. A claim is made and settled in the transaction of a decision.

Whatever is done here is done under the lock of the board, so that two decisions at once see each other. A claim whose
run ended without saying anything, through our fault, gets another one from the sweeper.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from runners.protocol import Mode, Verdict
from server.confirmation import is_confirmed, is_slower
from server.kernels import Kernel, best_kernels, counts
from server.life.events import add_event
from server.life.ordering import CONFIRMATION_PRIORITY
from server.life.submit import new_run
from server.models import (
    Board,
    Claim,
    ClaimState,
    Decision,
    DecisionOutcome,
    Finding,
    Record,
    Run,
    RunReason,
    RunState,
    Submission,
    utc_now,
)
from server.pooling import Interval, surely_beats
from server.records import newest_record, shown_confirmations
from server.settings import Settings

log = logging.getLogger(__name__)

RULE, FAMILY = "unconfirmed-record", "G84"
AGREED = "A fresh run confirmed it against the record."
NOT_AGREED = "A fresh run by itself did not surely beat the record: from now on the fresh run is what counts."
FAILED = "A fresh run of the same source, which was to confirm the record, did not end well: {how}."


def after_decision(session: Session, run: Run) -> None:
    """What the decision on `run` means for its board's record. Lock the board first; the caller commits."""
    if run.mode != Mode.RANKED:
        return
    if run.reason == RunReason.CONFIRMATION:
        _settle(session, run)
    contend(session, session.get_one(Board, run.board_id))


def confirms(board: Board) -> bool:
    """Whether records of `board` need a fresh run: unless the problem, or the board, has `confirm_records: false`."""
    limits = {**(board.problem.spec.get("limits") or {}), **board.limits}
    return limits.get("confirm_records", True) is not False


def contend(session: Session, board: Board) -> None:
    """Give the record to whom it belongs, and have fresh runs made of the kernels that claim it."""
    found = newest_record(session, board)
    if found is None:
        _first_record(session, board)
        return
    record, kernel = found
    challengers = [other for other in best_kernels(session, board) if surely_beats(other, kernel)]
    if not challengers:
        return
    claims = {
        (claim.user_id, claim.canonical_digest): claim
        for claim in session.scalars(select(Claim).where(Claim.record_id == record.id))
    }
    for challenger in sorted(challengers, key=lambda item: item.log_ratio):
        claim = claims.get(challenger.key)
        if not confirms(board) or (claim is not None and claim.state == ClaimState.CONFIRMED):
            _take(session, board, challenger)
            # Each record is surely faster than the one before, so this ends.
            contend(session, board)
            return
        if claim is None:
            _claim(session, board, record, kernel, challenger)


def make_up(session: Session, settings: Settings) -> int:
    """Queue another run for each claim whose run ended a while ago without a word on the kernel. The caller commits."""
    late = utc_now() - timedelta(seconds=settings.confirm_retry_seconds)
    ended = Run.state.in_((RunState.FINISHED, RunState.CANCELLED)) & (Run.finished_at < late)
    claims = session.scalars(
        select(Claim)
        .join(Run, Run.id == Claim.confirming_id)
        .where(Claim.state == ClaimState.OPEN, ended)
        .order_by(Claim.id)
        .with_for_update(of=Claim)
        .execution_options(populate_existing=True)
    ).all()
    for claim in claims:
        log.warning("confirmation ended without a result", extra={"claim": claim.id, "run": claim.confirming_id})
        claim.confirming = _fresh_run(session, claim.run.submission)
    return len(claims)


def _first_record(session: Session, board: Board) -> None:
    """The record of a board that has none is that of its fastest row, or the first one of those that tie with it."""
    confirmations = shown_confirmations(session, board)
    rows = [
        kernel for kernel in best_kernels(session, board) if confirmations.get(kernel.key, "confirmed") == "confirmed"
    ]
    leading = [row for row in rows if not any(surely_beats(other, row) for other in rows)]
    if leading:
        _take(session, board, min(leading, key=lambda row: (row.runs[0].submitted_at, row.runs[0].submission_id)))


def _take(session: Session, board: Board, kernel: Kernel) -> None:
    user_id, digest = kernel.key
    session.add(Record(board_id=board.id, user_id=user_id, canonical_digest=digest))
    session.flush()
    log.info("record taken", extra={"board": board.name, "run": kernel.runs[0].run_id})


def _claim(session: Session, board: Board, record: Record, holder: Kernel, challenger: Kernel) -> None:
    user_id, digest = challenger.key
    earlier = select(func.count()).where(Claim.record_id == record.id, Claim.user_id == user_id)
    newest = max(challenger.runs, key=lambda run: run.run_id)
    fresh = _fresh_run(session, session.get_one(Submission, newest.submission_id))
    session.add(
        Claim(
            record_id=record.id,
            board_id=board.id,
            user_id=user_id,
            canonical_digest=digest,
            run_id=newest.run_id,
            confirming_id=fresh.id,
            earlier=session.scalar(earlier) or 0,
            log_ratio=challenger.log_ratio,
            low=challenger.low,
            high=challenger.high,
            record_log_ratio=holder.log_ratio,
            record_low=holder.low,
            record_high=holder.high,
        )
    )
    session.flush()


def _fresh_run(session: Session, submission: Submission) -> Run:
    run = new_run(submission, CONFIRMATION_PRIORITY, RunReason.CONFIRMATION)
    session.add(run)
    session.flush()
    add_event(session, submission.id, "confirmation", {"state": "queued"})
    return run


def _settle(session: Session, run: Run) -> None:
    claim = session.scalar(select(Claim).where(Claim.confirming_id == run.id, Claim.state == ClaimState.OPEN))
    if claim is None:
        return
    passed, clean = run.verdict == Verdict.PASSED, run.decision == DecisionOutcome.CLEAN
    if not (passed and clean):
        how = run.decision if passed else run.verdict
        message = FAILED.format(how=how.value if how is not None else "unknown")
        _hold(session, claim, message)
        _close(session, claim, ClaimState.REFUTED, message)
    elif run.log_ratio is None or run.low is None or run.high is None:
        log.error("confirmation without figures", extra={"run": run.id})
    elif is_confirmed(fresh := Interval(run.log_ratio, run.low, run.high), _record_of(claim), claim.earlier):
        _close(session, claim, ClaimState.CONFIRMED, AGREED)
    else:
        # What came after the claim was not picked for its figures, and goes on to count.
        for run_of_claim in _runs_that_count(session, claim):
            run_of_claim.set_aside = run_of_claim.id <= claim.run_id
        if is_slower(fresh, Interval(claim.log_ratio, claim.low, claim.high)):
            message = "A fresh run was significantly slower than the runs by which it claimed the record."
            _find(session, claim, "note", message)
        _close(session, claim, ClaimState.REFUTED, NOT_AGREED)


def _record_of(claim: Claim) -> Interval:
    return Interval(claim.record_log_ratio, claim.record_low, claim.record_high)


def _runs_that_count(session: Session, claim: Claim) -> list[Run]:
    """All runs of the kernel that stand on the board now, locked."""
    return list(
        session.scalars(
            select(Run)
            .join(Submission, Submission.id == Run.submission_id)
            .where(
                counts(session.get_one(Board, claim.board_id)),
                Run.user_id == claim.user_id,
                Submission.canonical_digest == claim.canonical_digest,
            )
            .order_by(Run.id)
            .with_for_update(of=Run)
        )
    )


def _hold(session: Session, claim: Claim, message: str) -> None:
    """Take the row off the board until a person has looked at it."""
    for run in _runs_that_count(session, claim):
        run.decision = DecisionOutcome.REVIEW
        session.add(Decision(run_id=run.id, outcome=DecisionOutcome.REVIEW, reason=message))
    _find(session, claim, "review", message)


def _find(session: Session, claim: Claim, effect: str, message: str) -> None:
    session.add(
        Finding(run_id=claim.run_id, rule=RULE, version=1, family=FAMILY, effect=effect, message=message, advice="")
    )


def _close(session: Session, claim: Claim, state: ClaimState, message: str) -> None:
    claim.state = state
    claim.decided_at = utc_now()
    session.flush()
    add_event(session, claim.run.submission_id, "confirmation", {"state": state.value, "message": message})
    log.info("claim settled", extra={"claim": claim.id, "state": state.value})
