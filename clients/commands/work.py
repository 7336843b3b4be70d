"""Commands that act on submissions: `submit`, `watch`, `cancel`."""

from __future__ import annotations

import enum
import sys
from pathlib import Path
from typing import Annotated

import typer

from clients import exits, render
from clients.clean import line
from clients.commands.options import JsonOption, SubmissionId, TimeoutOption, connect
from clients.console import err, note, out, print_json, reported
from clients.directives import board_of
from clients.errors import WaitTimeoutError
from clients.exits import UsageError
from clients.formats import outcome
from clients.progress import Display, JsonLines, OnTerminal, Plain, Silent, follow
from clients.results import Submission
from clients.sdk import KernelCup

MOST_BYTES = 16 << 20


class Mode(enum.StrEnum):
    """What a submission is for."""

    TEST = "test"
    BENCHMARK = "benchmark"
    RANKED = "ranked"
    PROFILE = "profile"


@reported
def submit(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The kernel; - for standard input.")],
    board: Annotated[
        str | None,
        typer.Option("--board", "-b", help="The board; else a line '#!KERNELCUP board NAME' at the file's top."),
    ] = None,
    mode: Annotated[
        Mode,
        typer.Option("--mode", "-m", help="test: correctness only. benchmark: timed, not ranked. ranked. profile."),
    ] = Mode.RANKED,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait for the verdict, or return at once.")] = True,
    timeout: TimeoutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Submit a kernel to a board and wait for its verdict.

    With --json, standard output is the submission as one object: when it is done, or with --no-wait at once.
    """
    name, source = _read(file)
    board = board or board_of(source)
    with connect(need_token=True) as cup:
        submission = cup.submit(source.encode(), board=board or _only_open_board(cup), mode=mode.value, file_name=name)
        if not wait:
            _accepted(submission, as_json)
            return
        _finish(cup, submission, Silent() if as_json else _display(submission), timeout, as_json)


@reported
def watch(submission_id: SubmissionId, timeout: TimeoutOption = None, as_json: JsonOption = False) -> None:
    """Follow a submission until its verdict.

    The exit code is that of `submit`.

    With --json, standard output is one event a line, then a last line of kind "result" with the submission.
    """
    with connect() as cup:
        submission = cup.submission(submission_id)
        display = JsonLines() if as_json else _display(submission)
        _finish(cup, submission, display, timeout, as_json)


@reported
def cancel(submission_id: SubmissionId, as_json: JsonOption = False) -> None:
    """Withdraw a submission. A ranked run that has started still counts as one."""
    with connect(need_token=True) as cup:
        submission = cup.cancel(submission_id)
    if as_json:
        print_json(submission)
    elif submission.done:
        out().print(outcome(submission.outcome))
    else:
        note(f"asked to cancel submission {submission_id}; see `kernelcup show {submission_id}`")


def _read(file: Path) -> tuple[str, str]:
    """A kernel's name and text; raises UsageError for what no service would take."""
    from_stdin = str(file) == "-"
    try:
        if from_stdin:
            content = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with file.open("rb") as opened:
                content = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror or error}") from None
    if len(content) > MOST_BYTES:
        raise UsageError(f"{file} holds more than {MOST_BYTES >> 20} MiB; that is no kernel's source")
    if not content.strip():
        raise UsageError(f"{file} is empty")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not UTF-8 text: byte {error.start} is {content[error.start]:#04x}") from None
    return ("submission.py" if from_stdin else file.name), text


def _only_open_board(cup: KernelCup) -> str:
    names = [board.name for board in cup.boards() if board.is_open]
    if len(names) == 1:
        note(f"board: {names[0]}, the only one open")
        return names[0]
    raise UsageError(
        "say which board, with --board NAME or a line '#!KERNELCUP board NAME' at the file's top; "
        f"open are: {', '.join(names) or 'none'}"
    )


def _display(submission: Submission) -> Display:
    title = f"submission {submission.id} on {line(submission.board)} ({line(submission.mode)})"
    if sys.stderr.isatty():
        return OnTerminal(err(), title)
    err().print(title)
    return Plain(err())


def _accepted(submission: Submission, as_json: bool) -> None:
    if as_json:
        print_json(submission)
    else:
        out().print(f"submission {submission.id}: queued; follow it with `kernelcup watch {submission.id}`")


def _finish(cup: KernelCup, submission: Submission, display: Display, timeout: float | None, as_json: bool) -> None:
    """Wait, show what became of it, and exit as `exits` says."""
    try:
        done = follow(cup, submission, display, timeout)
    except (KeyboardInterrupt, WaitTimeoutError):
        note(f"submission {submission.id} goes on; follow it with `kernelcup watch {submission.id}`")
        raise
    if not as_json:
        render.submission(out(), done)
    elif isinstance(display, JsonLines):
        print_json({"kind": "result", "data": done}, indent=None)
    else:
        print_json(done)
    raise typer.Exit(exits.of_submission(done))
