"""How the demo looks in a terminal: one table of what happened and why, one of each board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table
from rich.text import Text

from server.embedded.entries import Entry

COLOURS = {"ranked": "green", "passed": "green", "rejected": "red", "wrong": "red", "review": "yellow"}


@dataclass
class Line:
    """An entry and what is known of its submission, as the API shows it (None before it is sent)."""

    entry: Entry
    submission: dict[str, Any] | None = None

    @property
    def outcome(self) -> str:
        """The outcome in one word; ``waiting`` before the submission is sent."""
        return str(self.submission["outcome"]) if self.submission else "waiting"

    @property
    def done(self) -> bool:
        """Whether the outcome is final."""
        return bool(self.submission and self.submission["done"])

    @property
    def as_expected(self) -> bool:
        """Whether the outcome is final and the one that the entry's header names."""
        return self.done and self.outcome == self.entry.expect

    @property
    def why(self) -> str:
        """What happened in one line: the speed-up of a ranked run, else the first reason there is."""
        runs = self.submission["runs"] if self.submission else []
        if not runs:
            return ""
        run = runs[-1]
        if self.outcome == "ranked" and run["speedup"] is not None:
            return f"{run['speedup']:.2f} times the reference"
        if not self.done:
            return str(run["waiting_reason"])
        if self.outcome in ("rejected", "review") and run["findings"]:
            worst = min(run["findings"], key=lambda finding: ("reject", "review", "note").index(finding["effect"]))
            place = f"line {worst['line']}: " if worst["line"] else ""
            return f"{place}{worst['message']}"
        failing = next((case for case in run["cases"] if case["status"] != "passed"), None)
        return (failing["message"] if failing else "") or run["message"]


def outcome_table(lines: Sequence[Line], *, whole: bool = False) -> Table:
    """What was submitted, what happened, why, and whether that was expected. `whole` reasons may take several lines."""
    table = Table(title="What happened, and why", title_justify="left", expand=True)
    for name in ("kernel", "author", "board", "outcome"):
        table.add_column(name, no_wrap=True)
    table.add_column("why", ratio=1, no_wrap=not whole, overflow="fold" if whole else "ellipsis")
    table.add_column("expected", no_wrap=True)
    for line in lines:
        table.add_row(*cells(line))
    return table


def cells(line: Line) -> list[Text]:
    """The cells of one line. Everything is Text: what authors wrote is never read as markup."""
    entry = line.entry
    mark = ("✓", "green") if line.as_expected else (f"✗ {entry.expect}", "bold red") if line.done else ("", "")
    return [
        Text(entry.name, style="" if entry.kind == "honest" else "magenta"),
        Text(entry.author),
        Text(entry.board),
        Text(line.outcome, style=COLOURS.get(line.outcome, "dim")),
        Text(one_line(line.why) or entry.what, style="" if line.why else "dim"),
        Text(*mark),
    ]


def board_table(rows: dict[str, Any]) -> Table:
    """A board's standings, as ``GET /boards/{name}/rows`` gives them."""
    board = rows["board"]
    table = Table(title=f"{board['name']}: {board['title']}", title_justify="left")
    for name in ("rank", "author", "kernel"):
        table.add_column(name)
    for name in ("speed-up", "95 % interval", "time", "share of floor"):
        table.add_column(name, justify="right")
    for row in rows["rows"]:
        table.add_row(*(Text(cell) for cell in standing_cells(row)))
    return table


def standing_cells(row: dict[str, Any]) -> list[str]:
    """The cells of one standing."""
    low, high = row["rank_low"], row["rank_high"]
    share = row["floor_share"]
    return [
        str(low) if low == high else f"{low}–{high}",
        row["author"],
        row["file_name"],
        f"{row['speedup']:.2f}×",
        f"{row['speedup_low']:.2f} – {row['speedup_high']:.2f}" + (" noisy" if row["noisy"] else ""),
        duration(row["seconds"]),
        "" if share is None else f"{share:.0%}",
    ]


def duration(seconds: float) -> str:
    """A time with three digits and the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def one_line(text: str) -> str:
    """`text` without line breaks and control characters, which a terminal would act on."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
