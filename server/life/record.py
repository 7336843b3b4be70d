"""Recording a report: one transaction, once per run, fenced by the attempt that made it."""

from __future__ import annotations

import logging
import math
from dataclasses import replace

from sqlalchemy.orm import Session

from runners.protocol import Mode, Report, Score, Verdict, encode
from server.disclosure import message_for_author
from server.life.attempts import holds
from server.life.ending import end_attempt, requeue_or_fail
from server.life.events import add_run_event
from server.life.locks import lock_attempt
from server.models import AttemptState, Run, RunState, utc_now
from server.settings import Settings

log = logging.getLogger(__name__)


def record(session: Session, settings: Settings, attempt_id: int, report: Report) -> bool:
    """Record `report` if its attempt is the one the run waits for; a late, repeated or unstarted one changes nothing.

    A judge fault is not recorded as the verdict while tries are left: the run is queued again. Commits. The caller
    rings the guard if the answer is True.
    """
    attempt = lock_attempt(session, attempt_id)
    if attempt is None or attempt.state != AttemptState.STARTED or not holds(session, attempt):
        return False
    run = attempt.run
    if report.verdict == Verdict.JUDGE_FAULT:
        log.error("judge fault", extra={"run": run.id, "attempt": attempt.id, "fault": report.detail[:4000]})
        end_attempt(attempt, AttemptState.REPORTED, report.detail[:4000] or report.message)
        requeue_or_fail(session, settings, run, "The judge failed, not your kernel; trying again.")
    else:
        end_attempt(attempt, AttemptState.REPORTED)
        _judged(session, run, report)
    session.commit()
    return True


def _judged(session: Session, run: Run, report: Report) -> None:
    if run.mode == Mode.RANKED:
        # A runner sends none; whatever a kernel printed beside hidden inputs is not even kept.
        report = replace(report, output="")
    run.state = RunState.JUDGED
    run.verdict = report.verdict
    run.message = message_for_author(report)
    run.judged_at = utc_now()
    run.report = encode(report)
    score = report.score
    if score is not None and _is_usable(score):
        run.log_ratio, run.low, run.high = score.log_ratio, score.low, score.high
        run.seconds, run.noisy = score.seconds, score.noisy
        run.pairs = sum(case.timing.pairs for case in report.cases if case.timing is not None)
    run.floor_share = floor_share(report)
    add_run_event(session, run, "verdict", {"verdict": report.verdict.value, "message": run.message})


def _is_usable(score: Score) -> bool:
    return all(math.isfinite(value) for value in (score.log_ratio, score.low, score.high, score.seconds))


def floor_share(report: Report) -> float | None:
    """The least time physics allows as a share of the time taken, mean over the timed cases that have a floor."""
    shares = [
        case.timing.floor_seconds / case.timing.seconds
        for case in report.cases
        if case.timing is not None and case.timing.floor_seconds and case.timing.seconds > 0
    ]
    return sum(shares) / len(shares) if shares else None
