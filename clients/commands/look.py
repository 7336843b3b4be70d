"""Commands that only look: `boards`, `board`, `problems`, `problem`, `submissions`, `show`, `queue`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
from rich.table import Table

from clients import clean, render
from clients.commands.options import JsonOption, SubmissionId, connect
from clients.console import note, out, print_json, reported
from clients.exits import UsageError


@reported
def boards(as_json: JsonOption = False) -> None:
    """List the boards."""
    with connect() as cup:
        _answer(found := cup.boards(), as_json, lambda: render.board_list(found))


@reported
def board(
    name: Annotated[str, typer.Argument(metavar="NAME", help="E.g. vector_mean-cpu.")], as_json: JsonOption = False
) -> None:
    """Show a board's ranks. Ranks that statistics cannot tell apart are shown as one, e.g. 2–4."""
    with connect() as cup:
        _answer(found := cup.rows(name), as_json, lambda: render.standings(found))


@reported
def problems(as_json: JsonOption = False) -> None:
    """List the problems."""
    with connect() as cup:
        _answer(found := cup.problems(), as_json, lambda: render.problem_list(found))


@reported
def problem(
    slug: Annotated[str, typer.Argument(metavar="SLUG", help="E.g. basics/vector_mean.")],
    starter: Annotated[
        str | None, typer.Option("--starter", metavar="NAME", help="Print this starter kernel instead.")
    ] = None,
    reference: Annotated[bool, typer.Option("--reference", help="Print the reference instead.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show a problem: statement, public cases, starters.

    To begin: kernelcup problem basics/vector_mean --starter NAME > kernel.py
    """
    with connect() as cup:
        found = cup.problem(slug)
    source = found.reference if reference else None
    if starter is not None:
        source = found.starters.get(starter, found.starters.get(f"{starter}.py"))
        if source is None:
            raise UsageError(f"{slug} has no starter {starter!r}, only: {', '.join(found.starters) or 'none'}")
    if as_json:
        print_json(found)
    elif source is not None:
        _print_source(source)
    else:
        render.problem(out(), found)


@reported
def submissions(
    limit: Annotated[int, typer.Option("--limit", min=1, max=100, help="How many.")] = 20,
    before: Annotated[
        int | None, typer.Option("--before", metavar="ID", min=1, help="Only those older than this one.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List your submissions, newest first."""
    with connect(need_token=True) as cup:
        _answer(found := cup.submissions(limit=limit, before=before), as_json, lambda: render.submission_list(found))


@reported
def show(
    submission_id: SubmissionId,
    report: Annotated[bool, typer.Option("--report", help="Print the judge's raw report, as JSON.")] = False,
    source: Annotated[bool, typer.Option("--source", help="Print the source you submitted.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show a submission in full.

    The exit code is 0 whatever became of it; `watch` tells by exit code.
    """
    with connect() as cup:
        if report:
            print_json(cup.report(submission_id))
            return
        found = cup.submission(submission_id)
    if source and found.source is None:
        raise UsageError(f"the source of submission {submission_id} is for its author alone")
    if as_json:
        print_json(found)
    elif source and found.source is not None:
        _print_source(found.source)
    else:
        render.submission(out(), found, details=True)


@reported
def queue(as_json: JsonOption = False) -> None:
    """Show each device's queue and how many runners serve it."""
    with connect() as cup:
        _answer(found := cup.queue(), as_json, lambda: render.queues(found))


def _answer(found: Any, as_json: bool, table: Callable[[], Table]) -> None:
    if as_json:
        print_json(found)
    elif (shown := table()).row_count:
        out().print(shown)
    else:
        note("nothing there yet")


def _print_source(source: str) -> None:
    """As it is into a file or pipe, harmless onto a terminal."""
    sys.stdout.write(clean.block(source) if sys.stdout.isatty() else source)
    sys.stdout.flush()
