"""A submission, live until it is done; and the list of one's own."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Form
from sqlalchemy import select
from starlette.responses import Response

from runners.protocol import Stage, Verdict
from server import ranking, views
from server.errors import Refusal
from server.life.cancel import cancel as cancel_submission
from server.models import Submission, SubmissionEvent
from server.records import awaited
from server.schemas import CaseOut, RunOut, SubmissionOut
from web import bars, csrf, numbers, wording
from web.headers import PAGE_HEADERS
from web.local_path import login_path
from web.templating import page, see_other
from web.timeline import current_step, timeline
from web.visitor import Visitor, VisitorDep

router = APIRouter()
PAGE_SIZE = 50


@router.get("/submissions")
def mine(visitor: VisitorDep, before: int | None = None) -> Response:
    """The visitor's own submissions, newest first."""
    if visitor.user is None:
        return see_other(login_path(visitor.here))
    rows = views.submission_rows(visitor.session, visitor.user, PAGE_SIZE + 1, before)
    older = rows[PAGE_SIZE - 1].id if len(rows) > PAGE_SIZE else None
    return page(visitor, "submissions.html", rows=rows[:PAGE_SIZE], older=older, before=before)


@router.get("/submissions/{submission_id}")
def submission(visitor: VisitorDep, submission_id: int) -> Response:
    """A submission's page."""
    found = views.find_submission(visitor.session, submission_id)
    return page(visitor, "submission.html", **_context(visitor, found))


@router.get("/submissions/{submission_id}/live")
def live(visitor: VisitorDep, submission_id: int, seen: str = "") -> Response:
    """The part of the page that changes; nothing (204) while it is as `seen`."""
    context = _context(visitor, views.find_submission(visitor.session, submission_id))
    if seen == context["state"]:
        return Response(status_code=204, headers=PAGE_HEADERS)
    return page(visitor, "_submission.html", fragment=True, **context)


@router.post("/submissions/{submission_id}/cancel")
def cancel(
    visitor: VisitorDep,
    submission_id: int,
    csrf_token: Annotated[str, Form(alias=csrf.FIELD)] = "",
) -> Response:
    """Cancel a submission of the visitor's that is not done."""
    found = views.find_submission(visitor.session, submission_id)
    views.check_visible(found, visitor.user)
    if visitor.user is None:
        return see_other(login_path(f"/submissions/{submission_id}"))
    if not visitor.may_post(csrf_token):
        return page(visitor, "refused_form.html", status=403)
    try:
        cancel_submission(visitor.session, submission=found, user=visitor.user)
    except Refusal as refusal:
        visitor.session.rollback()
        if refusal.status != 409:
            raise
    return see_other(f"/submissions/{submission_id}")


@dataclass(frozen=True)
class TimedCells:
    """A timed case as its cells show it."""

    case: CaseOut
    time: str
    anchor: str
    speedup: str
    low: str
    high: str
    bar: bars.Interval | None
    floor_share: float | None


@dataclass(frozen=True)
class TimedTable:
    """The timed cases of a run, in one unit and on one scale."""

    cells: list[TimedCells]
    unit: str
    scale: bars.Scale


def timed_table(cases: list[CaseOut]) -> TimedTable:
    """`cases` of the timing stage, failures first, else in their order."""
    ordered = sorted(cases, key=lambda case: case.status == Verdict.PASSED)
    timings = [case.timing for case in ordered]
    unit = numbers.time_unit([t.seconds for t in timings if t] + [t.anchor_seconds for t in timings if t])
    scale = bars.scale((t.speedup_low, t.speedup_high) for t in timings if t)
    figures = [numbers.with_interval(t.speedup, t.speedup_low, t.speedup_high) if t else ("", "", "") for t in timings]
    speedups = numbers.aligned([figure[0] or numbers.ABSENT for figure in figures])
    times = numbers.aligned([numbers.in_unit(t.seconds if t else None, unit) for t in timings])
    anchors = numbers.aligned([numbers.in_unit(t.anchor_seconds if t else None, unit) for t in timings])
    cells = [
        TimedCells(
            case=case,
            time=times[n],
            anchor=anchors[n],
            speedup=speedups[n],
            low=figures[n][1],
            high=figures[n][2],
            bar=scale.interval(t.speedup, t.speedup_low, t.speedup_high) if (t := case.timing) else None,
            floor_share=case.timing.floor_share if case.timing else None,
        )
        for n, case in enumerate(ordered)
    ]
    return TimedTable(cells, unit, scale)


def _context(visitor: Visitor, found: Submission) -> dict[str, Any]:
    out = views.submission_out(visitor.session, found, visitor.user)
    events = visitor.session.scalars(
        select(SubmissionEvent).where(SubmissionEvent.submission_id == found.id).order_by(SubmissionEvent.id)
    ).all()
    steps = timeline(out, events)
    rows = ranking.standings(visitor.session, found.board) if out.outcome == "ranked" else []
    standing = ranking.standing_of(visitor.session, found, rows)
    run = out.runs[-1] if out.runs else None
    is_author = views.is_author(found, visitor.user)
    card = wording.verdict_card(out, standing, len(rows))
    return {
        "submission": out,
        "run": run,
        "earlier": out.runs[:-1],
        "steps": steps,
        "card": card,
        "speedup": _speedup(run),
        "failure": wording.first_failure(run) if run else None,
        "tests": _failures_first([case for case in run.cases if case.stage == Stage.TEST]) if run else [],
        "build_cases": [case for case in run.cases if case.stage == Stage.BUILD] if run else [],
        "timed": timed_table([case for case in run.cases if case.stage == Stage.TIME]) if run else None,
        "marked": _marked(run),
        "is_author": is_author,
        "is_live": not out.done or (run is not None and awaited(run.confirmation)),
        "announcement": wording.announcement(out, card, current_step(steps)),
        "state": _state(out, steps, card),
    }


def _failures_first(cases: list[CaseOut]) -> list[CaseOut]:
    return sorted(cases, key=lambda case: case.status == Verdict.PASSED)


def _marked(run: RunOut | None) -> tuple[int, ...]:
    return tuple(sorted({finding.line for finding in run.findings if finding.line > 0})) if run else ()


def _speedup(run: RunOut | None) -> tuple[str, str, str] | None:
    if run is None or run.speedup is None or run.speedup_low is None or run.speedup_high is None:
        return None
    return numbers.with_interval(run.speedup, run.speedup_low, run.speedup_high)


def _state(out: SubmissionOut, steps: list[Any], card: wording.VerdictCard) -> str:
    """A digest of all that the live part shows, so that an unchanged page is not sent again."""
    return hashlib.sha256(f"{out.model_dump_json()}{steps}{card}".encode()).hexdigest()[:16]
