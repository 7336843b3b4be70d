"""What is shown of boards, problems and submissions, and to whom. The API and the pages both ask here."""

from __future__ import annotations

import math
from typing import Any, Literal

from sqlalchemy import func, select
from sqlalchemy.orm import Session, selectinload, undefer

from problems.spec import cost_of, from_json
from runners.protocol import CaseResult, Mode, Report, Timing, Verdict, decode
from server.db import settings_of
from server.disclosure import report_for_author
from server.errors import not_found
from server.life.fitness import live_since, requirements_of
from server.life.ordering import IN_FLIGHT, lacking_facts, live_slots, places
from server.life.submit import find_board as find_board
from server.life.submit import is_open
from server.models import (
    LIVE_STATES,
    Board,
    DecisionOutcome,
    Problem,
    Run,
    RunnerHost,
    RunReason,
    RunState,
    Submission,
    User,
    utc_now,
)
from server.records import confirmations_of
from server.schemas import (
    BoardOut,
    CaseOut,
    CaseShape,
    ConfirmationShown,
    FindingOut,
    ProblemOut,
    QueueOut,
    RunOut,
    SubmissionOut,
    SubmissionRow,
    TimingOut,
)
from server.wording import lacking_in_words, next_step_of, outcome_of

AUTHORS_FAULTS = {Verdict.WRONG, Verdict.ERROR, Verdict.TIMEOUT, Verdict.MEMORY, Verdict.CRASHED}


def list_boards(session: Session) -> list[BoardOut]:
    """All boards, by name."""
    return [board_out(session, board) for board in session.scalars(select(Board).order_by(Board.name))]


def board_out(session: Session, board: Board) -> BoardOut:
    """A board with its numbers of now."""
    return BoardOut(
        name=board.name,
        problem=board.problem.slug,
        title=board.problem.title,
        device=board.device,
        opens_at=board.opens_at,
        closes_at=board.closes_at,
        is_open=is_open(board),
        entries=_entries(session, board),
        queued=_count(session, Run.board_id == board.id, Run.state == RunState.QUEUED),
        live_runners=_live_runners(session, board.device),
    )


def _entries(session: Session, board: Board) -> int:
    return (
        session.scalar(
            select(func.count(func.distinct(Run.user_id))).where(
                Run.board_id == board.id,
                Run.mode == Mode.RANKED,
                Run.state == RunState.FINISHED,
                Run.verdict == Verdict.PASSED,
                Run.decision == DecisionOutcome.CLEAN,
                Run.log_ratio.is_not(None),
            )
        )
        or 0
    )


def _count(session: Session, *conditions: Any) -> int:
    return session.scalar(select(func.count()).select_from(Run).where(*conditions)) or 0


def _live_runners(session: Session, device: str) -> int:
    live = utc_now() - live_since(settings_of(session))
    return (
        session.scalar(
            select(func.count())
            .select_from(RunnerHost)
            .where(RunnerHost.device == device, RunnerHost.seen_at >= live, RunnerHost.slots > 0)
        )
        or 0
    )


def newest_problems(session: Session) -> list[Problem]:
    """The newest version of every problem, by slug."""
    newest = select(func.max(Problem.id)).group_by(Problem.slug)
    return list(session.scalars(select(Problem).where(Problem.id.in_(newest)).order_by(Problem.slug)))


def list_problems(session: Session) -> list[ProblemOut]:
    """All problems, newest versions."""
    return [_problem_out(session, problem) for problem in newest_problems(session)]


def problem_out(session: Session, slug: str) -> ProblemOut:
    """The newest version of a problem."""
    problem = session.scalar(select(Problem).where(Problem.slug == slug).order_by(Problem.id.desc()).limit(1))
    if problem is None:
        raise not_found("problem", slug)
    return _problem_out(session, problem)


def _problem_out(session: Session, problem: Problem) -> ProblemOut:
    spec = from_json(problem.spec)
    boards = session.scalars(
        select(Board.name).join(Problem).where(Problem.slug == problem.slug).order_by(Board.name)
    ).all()

    def shape(index: int, params: dict[str, Any]) -> CaseShape:
        flops, size = cost_of(spec, params)
        label = "; ".join(f"{name}: {value}" for name, value in params.items())
        return CaseShape(index=index, label=label, params=params, flops=flops, bytes=size)

    return ProblemOut(
        slug=problem.slug,
        title=problem.title,
        digest=problem.digest,
        summary=spec.summary,
        statement=problem.statement,
        tests=[shape(index, params) for index, params in enumerate(spec.tests)],
        benchmarks=[shape(index, params) for index, params in enumerate(spec.benchmarks)],
        starters=dict(spec.starters),
        reference=spec.reference,
        ranking_by=spec.ranking_by,
        boards=list(boards),
    )


def find_submission(session: Session, submission_id: int) -> Submission:
    """The submission with this id. Whether somebody may see it: :func:`check_visible`."""
    submission = session.get(Submission, submission_id) if 0 < submission_id < 2**31 else None
    if submission is None:
        raise not_found("submission", submission_id)
    return submission


def is_author(submission: Submission, viewer: User | None) -> bool:
    """Whether the viewer made the submission."""
    return viewer is not None and viewer.id == submission.user_id


def is_public(submission: Submission) -> bool:
    """Whether everybody may see its result: it stands, or stood, on a board."""
    return any(outcome_of(run) == "ranked" for run in submission.runs)


def check_visible(submission: Submission, viewer: User | None) -> None:
    """Raise the same 404 as for a submission that does not exist, unless the viewer may see this one."""
    if is_author(submission, viewer) or (viewer is not None and viewer.is_admin) or is_public(submission):
        return
    raise not_found("submission", submission.id)


def submission_out(session: Session, submission: Submission, viewer: User | None) -> SubmissionOut:
    """A submission as `viewer` may see it; raises the 404 of :func:`check_visible`.

    Others than the author and admins see the numbers of a ranked submission: no source, output, findings or messages.
    """
    check_visible(submission, viewer)
    private = is_author(submission, viewer) or (viewer is not None and viewer.is_admin)
    runs = session.scalars(
        select(Run)
        .where(Run.submission_id == submission.id)
        .options(undefer(Run.report), selectinload(Run.findings))
        .order_by(Run.id)
        .execution_options(populate_existing=True)
    ).all()
    own = [run for run in runs if run.reason == RunReason.SUBMITTED]
    claims = confirmations_of(session, own)
    latest = own[-1]
    confirmation = claims.get(latest.id, "none")

    def shown(run: Run) -> RunOut:
        return _run_out(session, run, claims.get(run.id, "none"), private=private)

    return SubmissionOut(
        id=submission.id,
        board=submission.board.name,
        problem=submission.board.problem.slug,
        author=submission.user.name,
        mode=submission.mode,
        file_name=submission.file_name,
        created_at=submission.created_at,
        outcome=outcome_of(latest),
        done=all(run.state not in LIVE_STATES for run in own),
        next_step=next_step_of(latest, confirmation) if private else "",
        source=submission.source if is_author(submission, viewer) else None,
        runs=[shown(run) for run in own],
        confirmations=[shown(run) for run in runs if run.reason == RunReason.CONFIRMATION],
    )


def _run_out(session: Session, run: Run, confirmation: ConfirmationShown, *, private: bool) -> RunOut:
    report = report_for_author(decode(Report, run.report)) if run.report is not None else None
    place = places(session, settings_of(session), run.device).get(run.id) if run.state == RunState.QUEUED else None
    has_score = run.log_ratio is not None and run.low is not None and run.high is not None
    return RunOut(
        id=run.id,
        device=run.device,
        mode=run.mode,
        state=run.state,
        reason=run.reason,
        confirmation=confirmation,
        verdict=run.verdict,
        decision=run.decision,
        fault=_fault(run),
        message=run.message if private else "",
        position=place.position if place else None,
        eta_seconds=place.eta_seconds if place else None,
        waiting_reason=waiting_reason(session, run),
        attempts=run.attempt_count,
        queued_at=run.queued_at,
        started_at=run.started_at,
        finished_at=run.finished_at,
        speedup=_speedup(run.log_ratio) if has_score else None,
        speedup_low=_speedup(run.high) if has_score else None,
        speedup_high=_speedup(run.low) if has_score else None,
        seconds=run.seconds,
        noisy=run.noisy,
        nonce=run.nonce if report is not None else None,
        cases=[_case_out(case, private=private) for case in report.cases] if report else [],
        findings=[FindingOut.model_validate(_finding(item)) for item in run.findings] if private else [],
        environment=report.environment if report else {},
        level=report.level if report else {},
        output=report.output if report and private and run.mode != Mode.RANKED else "",
    )


def _fault(run: Run) -> Literal["author", "ours"] | None:
    if run.verdict == Verdict.JUDGE_FAULT:
        return "ours"
    return "author" if run.verdict in AUTHORS_FAULTS else None


def _speedup(log_ratio: float | None) -> float | None:
    return math.exp(-log_ratio) if log_ratio is not None else None


def waiting_reason(session: Session, run: Run) -> str:
    """Why a queued run cannot start at all; empty if it only has to wait its turn."""
    if run.state != RunState.QUEUED:
        return ""
    settings = settings_of(session)
    if live_slots(session, settings, run.device) < 1:
        return f"No runner for {run.device} is connected at the moment. Your submission is kept and starts by itself."
    lacking = lacking_facts(session, settings, run.board_id)
    return lacking_in_words(run.device, lacking, requirements_of(run.submission.board)) if lacking else ""


def _finding(item: Any) -> dict[str, Any]:
    return {name: getattr(item, name) for name in FindingOut.model_fields}


def _case_out(case: CaseResult, *, private: bool) -> CaseOut:
    return CaseOut(
        stage=case.stage,
        index=case.index,
        label=case.label,
        hidden=case.hidden,
        status=case.status,
        message=case.message if private else "",
        error=_finite(case.error),
        timing=_timing_out(case.timing) if case.timing else None,
    )


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _timing_out(timing: Timing) -> TimingOut:
    floor = timing.floor_seconds
    return TimingOut(
        pairs=timing.pairs,
        calls=timing.calls,
        seconds=timing.seconds,
        anchor_seconds=timing.anchor_seconds,
        speedup=math.exp(-timing.log_ratio),
        speedup_low=math.exp(-timing.high),
        speedup_high=math.exp(-timing.low),
        noisy=timing.noisy,
        resolution_seconds=timing.resolution_seconds,
        floor_seconds=floor,
        floor_share=floor / timing.seconds if floor is not None and timing.seconds > 0 else None,
    )


def submission_rows(session: Session, user: User, limit: int = 50, before: int | None = None) -> list[SubmissionRow]:
    """The user's own submissions, newest first, with ids below `before`."""
    wanted = (
        select(Submission)
        .where(Submission.user_id == user.id)
        .options(selectinload(Submission.runs))
        .order_by(Submission.id.desc())
        .limit(limit)
    )
    if before is not None:
        wanted = wanted.where(Submission.id < before)
    return [_row(submission) for submission in session.scalars(wanted)]


def _row(submission: Submission) -> SubmissionRow:
    latest = submission.own_runs[-1]
    return SubmissionRow(
        id=submission.id,
        board=submission.board.name,
        mode=submission.mode,
        file_name=submission.file_name,
        created_at=submission.created_at,
        outcome=outcome_of(latest),
        done=all(run.state not in LIVE_STATES for run in submission.own_runs),
        speedup=_speedup(latest.log_ratio),
    )


def queues(session: Session) -> list[QueueOut]:
    """Every device's queue, in numbers."""
    devices = set(session.scalars(select(Board.device).distinct())) | set(
        session.scalars(select(RunnerHost.device).distinct())
    )
    return [
        QueueOut(
            device=device,
            queued=_count(session, Run.device == device, Run.state == RunState.QUEUED),
            running=_count(session, Run.device == device, Run.state.in_(IN_FLIGHT)),
            live_runners=_live_runners(session, device),
        )
        for device in sorted(devices)
    ]
