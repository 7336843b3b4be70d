"""Taking a submission: every check that needs no judge, then one transaction."""

from __future__ import annotations

import hashlib
import math
import re
import secrets
from dataclasses import dataclass
from datetime import timedelta
from pathlib import PurePosixPath

from sqlalchemy import and_, func, or_, select
from sqlalchemy.orm import Session

from runners.protocol import Mode, Verdict
from server.canonical import canonical_digest
from server.db import settings_of
from server.errors import Refusal, not_found
from server.life.events import add_event
from server.life.ordering import PRIORITIES
from server.models import Board, Run, RunReason, RunState, Submission, User, utc_now
from server.settings import Settings

MODES = (Mode.TEST, Mode.BENCHMARK, Mode.RANKED)
FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+ -]{0,195}\.py")
LONGEST_KEY = 100
HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class Allowance:
    """An author's hourly allowance. `reset_seconds` is when the oldest counted submission stops counting."""

    limit: int
    used: int
    reset_seconds: int

    @property
    def headers(self) -> dict[str, str]:
        """As ``RateLimit-*`` headers."""
        return {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(max(0, self.limit - self.used)),
            "RateLimit-Reset": str(self.reset_seconds),
        }


@dataclass(frozen=True)
class Accepted:
    """A submission, and whether this request made it (False: an earlier one with the same idempotency key did)."""

    submission: Submission
    is_new: bool


def submit(
    session: Session,
    *,
    user: User,
    board_name: str,
    source: bytes,
    file_name: str,
    mode: Mode,
    idempotency_key: str | None = None,
) -> Submission:
    """Commit a submission with its queued run; the caller rings the dispatcher afterwards. Raises Refusal."""
    return accept(
        session,
        user=user,
        board_name=board_name,
        source=source,
        file_name=file_name,
        mode=mode,
        idempotency_key=idempotency_key,
    ).submission


def accept(
    session: Session,
    *,
    user: User,
    board_name: str,
    source: bytes,
    file_name: str,
    mode: Mode,
    idempotency_key: str | None = None,
) -> Accepted:
    """As :func:`submit`, and says whether the submission is new.

    A repeated idempotency key is answered before the limits are looked at, so that a client may always repeat a
    request whose answer it lost.
    """
    settings = settings_of(session)
    text = checked_source(source, settings.max_source_bytes)
    file_name = checked_file_name(file_name)
    board = find_board(session, board_name)
    # One submission of an author at a time: the hourly limit and the idempotency key are then exact.
    session.execute(select(User.id).where(User.id == user.id).with_for_update())
    digest = hashlib.sha256(source).hexdigest()
    if idempotency_key is not None:
        earlier = _earlier(session, user, idempotency_key)
        if earlier is not None:
            _check_same(earlier, board, digest, file_name, mode)
            return Accepted(earlier, is_new=False)
    check_open(board)
    check_mode(mode)
    check_allowance(allowance(session, user, settings))
    submission = Submission(
        board_id=board.id,
        user_id=user.id,
        mode=mode,
        file_name=file_name,
        source=text,
        source_digest=digest,
        canonical_digest=canonical_digest(text),
        line_count=len(text.splitlines()),
        idempotency_key=idempotency_key,
        board=board,
        user=user,
    )
    session.add(submission)
    session.flush()
    session.add(new_run(submission, PRIORITIES[mode]))
    add_event(session, submission.id, "queued", {"device": board.device, "mode": mode.value})
    session.commit()
    return Accepted(submission, is_new=True)


def new_run(submission: Submission, priority: int, reason: RunReason = RunReason.SUBMITTED) -> Run:
    """A queued run of `submission` on its board's device, with a nonce that nothing else has."""
    return Run(
        submission=submission,
        board_id=submission.board_id,
        user_id=submission.user_id,
        device=submission.board.device,
        mode=submission.mode,
        reason=reason,
        priority=priority,
        nonce=secrets.token_hex(32),
    )


def checked_source(source: bytes, most_bytes: int) -> str:
    """The source as text, or the Refusal that says what is wrong with it. Syntax is the judge's business."""
    if not source.strip():
        raise Refusal(422, "empty_source", "Empty submission", "The file is empty: send the kernel's source text.")
    if len(source) > most_bytes:
        raise Refusal(
            413,
            "too_large",
            "Submission too large",
            f"The file has {len(source)} bytes; at most {most_bytes} are taken.",
        )
    if b"\0" in source:
        raise Refusal(
            422, "binary_source", "Not a text file", "The file holds NUL bytes: send source text, not a binary."
        )
    try:
        return source.decode("utf-8")
    except UnicodeDecodeError as error:
        line = source[: error.start].count(b"\n") + 1
        raise Refusal(
            422, "not_utf8", "Not UTF-8", f"Line {line} is not valid UTF-8: save the file as UTF-8 and send it again."
        ) from None


def checked_file_name(file_name: str) -> str:
    """The last part of `file_name`, which must be a plain ``.py`` name."""
    name = PurePosixPath(file_name.replace("\\", "/")).name
    if not name.lower().endswith(".py"):
        raise Refusal(
            422, "unsupported_file_type", "Unsupported file type",
            f"{name[:100]!r} does not end in .py: send one Python file; CUDA and C++ go inside it as inline sources.",
        )  # fmt: skip
    if not FILE_NAME.fullmatch(name[:-3] + ".py"):
        raise Refusal(
            422, "invalid_file_name", "Invalid file name",
            "File names have letters, digits, space and . _ + - only, and at most 200 characters.",
        )  # fmt: skip
    return name


def find_board(session: Session, name: str) -> Board:
    """The board called `name`."""
    board = session.scalar(select(Board).where(Board.name == name))
    if board is None:
        raise not_found("board", name)
    return board


def is_open(board: Board) -> bool:
    """Whether the board takes submissions now."""
    now = utc_now()
    return (board.opens_at is None or board.opens_at <= now) and (board.closes_at is None or now < board.closes_at)


def check_open(board: Board) -> None:
    """Refuse if the board is not open yet, or not any more."""
    if is_open(board):
        return
    if board.opens_at is not None and board.opens_at > utc_now():
        raise Refusal(
            403, "board_not_open", "Board not open yet", f"{board.name} opens at {board.opens_at:%Y-%m-%d %H:%M} UTC."
        )
    raise Refusal(403, "board_closed", "Board closed", f"{board.name} closed at {board.closes_at:%Y-%m-%d %H:%M} UTC.")


def check_mode(mode: Mode) -> None:
    """Refuse modes that boards do not offer."""
    if mode not in MODES:
        offered = ", ".join(item.value for item in MODES)
        raise Refusal(422, "mode_not_allowed", "Mode not offered", f"This board offers {offered}, not {mode.value}.")


def allowance(session: Session, user: User, settings: Settings) -> Allowance:
    """What `user` has used in the last hour. What we failed to judge, or never began, does not count."""
    now = utc_now()
    free = or_(Run.verdict == Verdict.JUDGE_FAULT, and_(Run.state == RunState.CANCELLED, Run.started_at.is_(None)))
    own = Run.reason == RunReason.SUBMITTED
    counted = (
        select(func.count(), func.min(Submission.created_at))
        .where(Submission.user_id == user.id, Submission.created_at > now - HOUR)
        .where(~select(Run.id).where(Run.submission_id == Submission.id, own, free).exists())
    )
    used, oldest = session.execute(counted).one()
    reset = math.ceil((oldest + HOUR - now).total_seconds()) if oldest is not None else 0
    return Allowance(settings.submissions_per_hour, used, max(0, reset))


def check_allowance(allowed: Allowance) -> None:
    """Refuse if the hour's allowance is used up."""
    if allowed.used < allowed.limit:
        return
    raise Refusal(
        429, "rate_limited", "Too many submissions",
        f"You have used all {allowed.limit} submissions of this hour; the next is free in {allowed.reset_seconds} s.",
        {**allowed.headers, "Retry-After": str(max(1, allowed.reset_seconds))},
    )  # fmt: skip


def checked_key(key: str | None) -> str | None:
    """An idempotency key as it may be kept."""
    if key is None:
        return None
    if not 1 <= len(key) <= LONGEST_KEY or not key.isprintable():
        raise Refusal(
            422, "invalid_idempotency_key", "Invalid Idempotency-Key",
            f"An Idempotency-Key has 1 to {LONGEST_KEY} printable characters; a UUID is a good one.",
        )  # fmt: skip
    return key


def _earlier(session: Session, user: User, key: str) -> Submission | None:
    checked_key(key)
    return session.scalar(select(Submission).where(Submission.user_id == user.id, Submission.idempotency_key == key))


def _check_same(earlier: Submission, board: Board, digest: str, file_name: str, mode: Mode) -> None:
    sent = (board.id, digest, file_name, mode)
    if sent != (earlier.board_id, earlier.source_digest, earlier.file_name, earlier.mode):
        raise Refusal(
            409, "idempotency_conflict", "Idempotency-Key already used",
            f"Submission {earlier.id} was made with this key and other contents: use a new key for a new submission.",
        )  # fmt: skip
