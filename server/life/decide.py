"""The guard stage: between the verdict and the board. Nothing ranks that it has not called clean."""

from __future__ import annotations

import logging

from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from guard.decide import Judgement, decide_safely
from runners.protocol import Report, decode
from server.db import session_scope
from server.life.confirm import after_decision
from server.life.events import add_end_if_done, add_run_event
from server.life.locks import lock_board_of, lock_run
from server.models import Decision, DecisionOutcome, Finding, Run, RunState, Submission, utc_now

log = logging.getLogger(__name__)


def decide(sessions: sessionmaker[Session], run_id: int) -> bool:
    """Examine a judged run and record findings and decision. False if there was nothing to decide (any more).

    No transaction is open while the guard reads: it may take seconds. Deciding twice is harmless, the first counts.
    """
    with session_scope(sessions) as session:
        found = session.execute(
            select(Submission.source, Submission.file_name, Run.report)
            .join(Run, Run.submission_id == Submission.id)
            .where(Run.id == run_id, Run.state == RunState.JUDGED)
        ).one_or_none()
    if found is None:
        return False
    source, file_name, report = found
    judgement = decide_safely(source, file_name, decode(Report, report))
    with session_scope(sessions) as session:
        return record_judgement(session, run_id, judgement)


def record_judgement(session: Session, run_id: int, judgement: Judgement) -> bool:
    """Write what the guard found, and finish the run. The caller commits."""
    lock_board_of(session, run_id)
    run = lock_run(session, run_id)
    if run is None or run.state != RunState.JUDGED:
        return False
    for hit in judgement.hits:
        session.add(
            Finding(
                run_id=run.id,
                rule=hit.rule,
                version=hit.version,
                family=hit.family,
                effect=hit.effect,
                message=hit.message,
                advice=hit.advice,
                line=hit.line,
                column=hit.column,
                excerpt=hit.excerpt,
            )
        )
    outcome = DecisionOutcome(judgement.outcome)
    session.add(Decision(run_id=run.id, outcome=outcome, reason=judgement.reason))
    run.decision = outcome
    run.state = RunState.FINISHED
    run.finished_at = utc_now()
    add_run_event(session, run, "decided", {"decision": outcome.value})
    after_decision(session, run)
    add_end_if_done(session, run)
    log.info("decided", extra={"run": run.id, "decision": outcome.value})
    return True
