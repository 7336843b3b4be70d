"""The form that submits a kernel. Whatever goes wrong, the text comes back."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from runners.protocol import Mode
from server import celery_app, views
from server.errors import Refusal
from server.life.submit import allowance
from server.life.submit import submit as submit_source
from server.schemas import BoardOut, ProblemOut
from web import csrf, wording
from web.local_path import login_path
from web.templating import page, see_other
from web.visitor import Visitor, VisitorDep

router = APIRouter()
DEFAULT_NAME = "submission.py"
_LARGEST_FORM = 16 << 20
_FIELDS = {
    "mode_not_allowed": "mode",
    "empty_source": "source",
    "too_large": "source",
    "binary_source": "source",
    "not_utf8": "source",
    "unsupported_file_type": "file_name",
    "invalid_file_name": "file_name",
}


@dataclass(frozen=True)
class Draft:
    """What the author wrote: kept across every error."""

    source: str
    file_name: str
    mode: str
    key: str


@dataclass(frozen=True)
class SentForm:
    """The form as it arrived. `source` is the upload if there was one, else the text."""

    source: bytes
    file_name: str
    mode: str
    key: str
    csrf_token: str


async def sent_form(request: Request) -> SentForm:
    """The submitted form, read with a limit of its own so that a large text reaches the check that explains it.

    Raises HTTPException 413 if it is larger than any submission may be.
    """
    length = request.headers.get("content-length", "0")
    if not length.isdigit() or int(length) > _LARGEST_FORM:
        raise HTTPException(413, "The form is larger than any submission may be.")
    async with request.form(max_files=1, max_fields=20, max_part_size=_LARGEST_FORM) as form:
        return await _read(form)


async def _read(form: FormData) -> SentForm:
    upload = form.get("file")
    text = _text(form, "source").replace("\r\n", "\n")
    source, name = text.encode("utf-8", "surrogatepass"), _text(form, "file_name").strip() or DEFAULT_NAME
    if isinstance(upload, UploadFile) and upload.filename:
        source, name = await upload.read(), upload.filename
    return SentForm(source, name, _text(form, "mode"), _text(form, "key"), _text(form, csrf.FIELD))


def _text(form: FormData, name: str) -> str:
    value = form.get(name, "")
    return value if isinstance(value, str) else ""


SentFormDep = Annotated[SentForm, Depends(sent_form)]


@router.get("/boards/{name}/submit")
def submit_form(visitor: VisitorDep, name: str, starter: str = "", again: int | None = None) -> Response:
    """The form, with a starter or, for `again`, the source of an earlier submission of the author's."""
    board = views.find_board(visitor.session, name)
    if visitor.user is None:
        return see_other(login_path(visitor.here))
    problem = views.problem_out(visitor.session, board.problem.slug)
    draft = _again(visitor, again) if again is not None else None
    if draft is None:
        chosen = starter if starter in problem.starters else next(iter(problem.starters), "")
        draft = Draft(problem.starters.get(chosen, ""), DEFAULT_NAME, Mode.RANKED.value, new_key())
        return _form(visitor, views.board_out(visitor.session, board), problem, draft, chosen=chosen)
    return _form(visitor, views.board_out(visitor.session, board), problem, draft)


def _again(visitor: Visitor, submission_id: int) -> Draft | None:
    submission = views.find_submission(visitor.session, submission_id)
    if visitor.user is None or submission.user_id != visitor.user.id:
        return None
    return Draft(submission.source, submission.file_name, submission.mode.value, new_key())


@router.post("/boards/{name}/submit")
def submit(visitor: VisitorDep, name: str, form: SentFormDep) -> Response:
    """Submit, and go to the submission's page; or show the form again with what was wrong beside the field."""
    board = views.find_board(visitor.session, name)
    draft = Draft(form.source.decode("utf-8", "replace"), form.file_name, form.mode, form.key or new_key())

    def again(status: int, **errors: str) -> Response:
        problem = views.problem_out(visitor.session, board.problem.slug)
        shown = views.board_out(visitor.session, board)
        return _form(visitor, shown, problem, draft, status=status, errors=errors)

    if not visitor.is_same_origin:
        return page(visitor, "refused_form.html", status=403)
    if visitor.user is None:
        return again(401, form="Your session has ended. Log in in another tab, then send this form again.")
    if not visitor.may_post(form.csrf_token):
        return again(403, form="This form had been open too long. Your text is kept: send it again.")
    try:
        mode = Mode(form.mode)
    except ValueError:
        return again(422, mode="Choose one of the modes.")
    if not form.source.strip():
        return again(422, source="There is no code here. Paste your kernel, or choose a file.")
    try:
        submission = submit_source(
            visitor.session,
            user=visitor.user,
            board_name=name,
            source=form.source,
            file_name=form.file_name,
            mode=mode,
            idempotency_key=_idempotency_key(draft, form.source),
        )
    except Refusal as refusal:
        visitor.session.rollback()
        return again(refusal.status, **{field_of(refusal): refusal.detail or refusal.title})
    celery_app.ring()
    return see_other(f"/submissions/{submission.id}")


def field_of(refusal: Refusal) -> str:
    """The field beside which `refusal` is said."""
    return _FIELDS.get(refusal.code, "form")


def new_key() -> str:
    """A value that makes one showing of the form one submission, however often the button is pressed."""
    return secrets.token_hex(8)


def _idempotency_key(draft: Draft, source: bytes) -> str:
    said = "\0".join((draft.key[:64], draft.mode, draft.file_name)).encode("utf-8", "replace")
    return "web-" + hashlib.sha256(said + b"\0" + source).hexdigest()


def _form(
    visitor: Visitor,
    board: BoardOut,
    problem: ProblemOut,
    draft: Draft,
    *,
    chosen: str = "",
    status: int = 200,
    errors: dict[str, str] | None = None,
) -> Response:
    context: dict[str, Any] = {
        "board": board,
        "problem": problem,
        "draft": draft,
        "chosen": chosen,
        "errors": {"form": "", "mode": "", "source": "", "file_name": "", **(errors or {})},
        "failed": bool(errors),
        "mode_lines": wording.MODE_LINES,
        "max_bytes": visitor.settings.max_source_bytes,
        "allowance": allowance(visitor.session, visitor.user, visitor.settings) if visitor.user else None,
    }
    return page(visitor, "submit.html", status=status, **context)
