"""``kernelcup guard``: scan sources for what would keep a run off the board."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from guard.canonical import CPP_SUFFIXES
from guard.rules import default_rules
from guard.scan import Hit, printable, scan

_STYLES = {"reject": "bold red", "review": "yellow", "note": "dim"}
_SKIPPED = {".git", ".venv", "__pycache__", "node_modules"}

group = typer.Typer(name="guard", help="Look for cheats in sources.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the ``guard`` commands to the command line `app`."""
    app.add_typer(group, name="guard")


@group.command("scan")
def scan_command(
    path: Annotated[Path, typer.Argument(help="A source file, or a folder of them.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Scan sources. Exits with 0 if nothing is above a note, 1 if something is, 2 if a file cannot be read."""
    found = {str(file): _scan_file(file) for file in _files(path)}
    if as_json:
        rows = [{"file": file, **asdict(hit)} for file, hits in found.items() for hit in hits]
        typer.echo(json.dumps({"rules": default_rules().version, "files": len(found), "hits": rows}, indent=2))
    else:
        _print(found)
    if any(hit.effect != "note" for hits in found.values() for hit in hits):
        raise typer.Exit(1)


@group.command("rules")
def rules_command(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """List the rules in force."""
    rules = default_rules()
    if as_json:
        keys = ("id", "version", "family", "effect", "message")
        rows = [{key: getattr(rule, key) for key in keys} for rule in rules.rules]
        typer.echo(json.dumps({"rules": rules.version, "list": rows}, indent=2))
        return
    table = Table("rule", "family", "effect", "message")
    for rule in rules.rules:
        table.add_row(rule.id, rule.family, Text(rule.effect, _STYLES[rule.effect]), Text(rule.message))
    Console().print(table)


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    if not path.is_dir():
        _usage(f"{path}: there is no such file or folder")
    files = sorted(
        file
        for file in path.rglob("*")
        if file.suffix.lower() in (".py", *CPP_SUFFIXES) and file.is_file() and not _SKIPPED & {*file.parts}
    )
    if not files:
        _usage(f"{path}: there are no Python, C++ or CUDA sources in this folder")
    yield from files


def _scan_file(file: Path) -> list[Hit]:
    try:
        source = file.read_text(encoding="utf-8")
    except OSError as error:
        _usage(f"{file}: {error.strerror}")
    except UnicodeDecodeError:
        _usage(f"{file}: not UTF-8 text; save it as UTF-8")
    return scan(source, file.name)


def _usage(message: str) -> None:
    typer.echo(printable(message), err=True)
    raise typer.Exit(2)


def _print(found: dict[str, list[Hit]]) -> None:
    console = Console()
    table = Table(Column("file", overflow="fold"), "place", "family", "effect", "what", "source")
    for file, hits in found.items():
        for hit in hits:
            table.add_row(
                Text(printable(file)),
                f"{hit.line}:{hit.column}" if hit.line else "-",
                hit.family,
                Text(hit.effect, _STYLES[hit.effect]),
                Text(printable(f"{hit.message} {hit.advice}")),
                Text(printable(hit.excerpt)),
            )
    if table.row_count:
        console.print(table)
    files = f"{len(found)} file{'s' if len(found) != 1 else ''}"
    console.print(Text(f"{files} scanned with rule set {default_rules().version}: {_summary(found)}"))


def _summary(found: dict[str, list[Hit]]) -> str:
    counts = dict.fromkeys(("reject", "review", "note"), 0)
    for hits in found.values():
        for hit in hits:
            counts[hit.effect] += 1
    named = [f"{count} {effect}" for effect, count in counts.items() if count]
    return ", ".join(named) if named else "nothing found"
