"""Submissions: make one, watch it, cancel it, read its report."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.datastructures import UploadFile

from runners.protocol import Mode, Report, decode, encode
from server.api.deps import CurrentUser, MaybeUser, SessionDep
from server.celery_app import ring
from server.db import settings_of
from server.disclosure import report_for_author
from server.errors import Refusal, not_found
from server.life.cancel import cancel
from server.life.submit import Accepted, accept, allowance, checked_key
from server.models import User
from server.schemas import ProblemDetails, SubmissionOut, SubmissionRow, SubmitJson
from server.views import find_submission, is_author, submission_out, submission_rows

router = APIRouter(prefix="/submissions", tags=["submissions"])

IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="Any text of your own, e.g. a UUID. The same key with the same submission returns the first one.",
    ),
]
_PROBLEM = {"model": ProblemDetails, "content": {"application/problem+json": {}}}
_SUBMIT_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"model": SubmissionOut, "description": "Submitted before with the same Idempotency-Key"},
    **dict.fromkeys((401, 403, 404, 409, 413, 422, 429), _PROBLEM),
}
_MULTIPART = {
    "type": "object",
    "required": ["board", "file"],
    "properties": {
        "board": {"type": "string", "example": "vector_mean-cpu"},
        "mode": {"type": "string", "enum": ["test", "benchmark", "ranked"], "default": "ranked"},
        "file": {"type": "string", "format": "binary", "description": "One .py file, UTF-8"},
    },
}
_SUBMIT_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {"schema": _MULTIPART},
            "application/json": {"schema": SubmitJson.model_json_schema()},
        },
    }
}


class Sent:
    """What a client sent to be judged, whichever way."""

    def __init__(self, board: str, source: bytes, file_name: str, mode: Mode) -> None:
        self.board = board
        self.source = source
        self.file_name = file_name
        self.mode = mode


@router.post("", status_code=201, responses=_SUBMIT_RESPONSES, openapi_extra=_SUBMIT_BODY)
async def create_submission(
    request: Request, response: Response, session: SessionDep, user: CurrentUser, key: IdempotencyKey = None
) -> SubmissionOut:
    """Submit a kernel, as multipart form (`board`, `mode`, `file`) or as JSON.

    `test` checks correctness only, `benchmark` times the public cases, `ranked` enters the board.
    """
    sent = await read_sent(request)
    return await run_in_threadpool(_create, response, session, user, sent, checked_key(key))


def _create(response: Response, session: SessionDep, user: User, sent: Sent, key: str | None) -> SubmissionOut:
    accepted: Accepted = accept(
        session,
        user=user,
        board_name=sent.board,
        source=sent.source,
        file_name=sent.file_name,
        mode=sent.mode,
        idempotency_key=key,
    )
    if accepted.is_new:
        ring()
    else:
        response.status_code = 200
    response.headers["Location"] = f"/api/v1/submissions/{accepted.submission.id}"
    response.headers.update(allowance(session, user, settings_of(session)).headers)
    return submission_out(session, accepted.submission, user)


async def read_sent(request: Request) -> Sent:
    """The submission in the body of `request`."""
    kind = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind == "application/json":
        return _read_json(await request.body())
    if kind == "multipart/form-data":
        return await _read_form(request)
    raise Refusal(
        415, "unsupported_media_type", "Unsupported media type",
        "Send multipart/form-data with board, mode and file, or application/json with board, mode and source.",
    )  # fmt: skip


def _read_json(body: bytes) -> Sent:
    try:
        sent = SubmitJson.model_validate_json(body)
    except ValidationError as error:
        raise RequestValidationError(_without_input(error)) from None
    return Sent(sent.board, sent.source.encode("utf-8", errors="surrogatepass"), sent.file_name, sent.mode)


def _without_input(error: ValidationError) -> list[Any]:
    return [
        {**item, "loc": ("body", *item["loc"])}
        for item in error.errors(include_input=False, include_context=False, include_url=False)
    ]


async def _read_form(request: Request) -> Sent:
    async with request.form(max_files=1, max_fields=10) as form:
        board, mode, file = form.get("board"), form.get("mode", Mode.RANKED.value), form.get("file")
        if not isinstance(board, str) or not board:
            raise _missing("board", "the name of a board, e.g. vector_mean-cpu")
        if not isinstance(file, UploadFile):
            raise _missing("file", "a .py file")
        if mode not in set(Mode):
            raise _missing("mode", f"one of {', '.join(Mode)}")
        return Sent(board, await file.read(), file.filename or "submission.py", Mode(str(mode)))


def _missing(name: str, wanted: str) -> RequestValidationError:
    return RequestValidationError([{"loc": ("body", name), "msg": f"must be {wanted}", "type": "value_error"}])


@router.get("")
def read_submissions(
    session: SessionDep,
    user: CurrentUser,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    before: Annotated[int | None, Query(ge=1, lt=2**31, description="Only ids below this one")] = None,
) -> list[SubmissionRow]:
    """Your own submissions, newest first."""
    return submission_rows(session, user, limit, before)


@router.get("/{submission_id}")
def read_submission(session: SessionDep, viewer: MaybeUser, submission_id: int) -> SubmissionOut:
    """A submission. Others than its author see it once it is on the board, and then its numbers alone."""
    return submission_out(session, find_submission(session, submission_id), viewer)


@router.post("/{submission_id}/cancel")
def cancel_submission(session: SessionDep, user: CurrentUser, submission_id: int) -> SubmissionOut:
    """Cancel. A queued submission ends at once; one that runs ends within seconds, and counts if it is ranked."""
    submission = find_submission(session, submission_id)
    cancel(session, submission=submission, user=user)
    ring()
    return submission_out(session, submission, user)


@router.get("/{submission_id}/report")
def read_report(session: SessionDep, user: CurrentUser, submission_id: int) -> dict[str, Any]:
    """The judge's report with all samples, for the author. Hidden cases show their family and error only."""
    submission = find_submission(session, submission_id)
    if not is_author(submission, user) and not user.is_admin:
        raise not_found("submission", submission_id)
    report = submission.own_runs[-1].report
    if report is None:
        raise Refusal(404, "no_report", "No report yet", "There is no report yet: wait until the run is judged.")
    shown: dict[str, Any] = encode(report_for_author(decode(Report, report)))
    return shown
