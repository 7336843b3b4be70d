"""Where commands write: answers to stdout, everything else to stderr; and how their errors end.

With ``--json`` stdout holds JSON alone: the answer, or ``{"error": {...}}``.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import typer
from rich.console import Console

from clients import clean, exits
from clients.decode import to_json
from clients.errors import ApiError, KernelCupError, Unreachable

P = ParamSpec("P")
R = TypeVar("R")

BROKEN_PIPE = 141
PIPE_WIDTH = 160


def out() -> Console:
    """Standard output, without markup; wide where it is no terminal, so that nothing is cut."""
    narrow = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(file=sys.stdout, markup=False, emoji=False, highlight=False, width=None if narrow else PIPE_WIDTH)


def err() -> Console:
    """Standard error, without markup."""
    return Console(file=sys.stderr, markup=False, emoji=False, highlight=False, soft_wrap=True)


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """`value`, results included, as ASCII JSON: nothing in it can reach a terminal as a control character."""
    text = json.dumps(to_json(value), indent=indent, ensure_ascii=True, allow_nan=False)
    sys.stdout.write(text.replace("\x7f", "\\u007f") + "\n")
    sys.stdout.flush()


def note(text: str) -> None:
    """Something for people, beside the answer."""
    err().print(clean.line(text, 2000))


def reported(command: Callable[P, R]) -> Callable[P, R]:
    """The command, with its errors told and turned into exit codes."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            answer = command(*args, **kwargs)
            sys.stdout.flush()
            return answer
        except KernelCupError as error:
            _tell(error, bool(kwargs.get("as_json")))
            raise typer.Exit(exits.of_error(error)) from None
        except (KeyboardInterrupt, typer.Abort):
            raise typer.Exit(exits.INTERRUPTED) from None
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(BROKEN_PIPE) from None

    return run


def _tell(error: KernelCupError, as_json: bool) -> None:
    note(f"error: {_words(error)}")
    if as_json:
        name = type(error).__name__
        fields: dict[str, str | int | None] = {
            "code": name,
            "title": name,
            "detail": str(error),
            "status": None,
        }
        if isinstance(error, ApiError):
            fields = {"code": error.code, "title": error.title, "detail": error.detail, "status": error.status}
        print_json({"error": fields})


def _words(error: KernelCupError) -> str:
    if isinstance(error, Unreachable):
        return f"{error}. Is the service up? `kernelcup up` starts one here."
    if not isinstance(error, ApiError):
        return str(error)
    words = error.detail or error.title
    if error.status == 401:
        return f"not logged in: {words} Log in with `kernelcup login`, or set KERNELCUP_TOKEN."
    if error.status == 429 and error.retry_after is not None:
        return f"{words} Try again in {error.retry_after:.0f} s."
    return f"the service is broken ({error.status}): {words}" if error.is_ours else words
