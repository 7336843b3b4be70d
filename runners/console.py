"""What `kernelcup judge` shows: progress while it runs, a table per case at the end."""

from __future__ import annotations

import contextlib
import math
import re
import sys
from collections.abc import Iterator

import rich.console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from runners.protocol import CaseResult, Event, Report, Stage, Verdict

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_STAGES = {Stage.BUILD: "building", Stage.TEST: "testing", Stage.TIME: "timing"}
_STYLES = {Verdict.PASSED: "green", Verdict.JUDGE_FAULT: "yellow"}


def plain(text: str) -> str:
    """Text of a submission's, without what a terminal would obey."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


class Console:
    """Shows a local run. `quiet` shows nothing but errors."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._out = rich.console.Console(highlight=False)
        self._err = rich.console.Console(stderr=True, highlight=False)

    def error(self, text: str) -> None:
        """Say an error on stderr."""
        self._err.print(Text.assemble(("error: ", "bold red"), plain(text)))

    @contextlib.contextmanager
    def progress(self) -> Iterator[RunProgress]:
        """A progress display for one run; plain nothing where stderr is no terminal."""
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        shown = not self._quiet and sys.stderr.isatty()
        with Progress(*columns, console=self._err, transient=True, disable=not shown) as bars:
            yield RunProgress(bars)

    def report(self, report: Report) -> None:
        """The verdict, the cases, and what the submission printed."""
        style = _STYLES.get(report.verdict, "red")
        self._out.print(Text(report.verdict.value, style=f"bold {style}"))
        if report.message:
            self._out.print(Text(plain(report.message)))
        if report.detail:
            self._err.print(Text(plain(report.detail), style="dim"))
        for stage, table in ((Stage.TEST, _test_table), (Stage.TIME, _time_table)):
            if cases := [case for case in report.cases if case.stage is stage]:
                self._out.print(table(cases))
        if report.score is not None:
            score = report.score
            self._out.print(
                f"speed-up over the anchor {_ratio(score.log_ratio)} "
                f"(95 %: {_ratio(score.high)} to {_ratio(score.low)})" + (", noisy" if score.noisy else "")
            )
        if report.output:
            self._out.print(Text("printed by the submission:", style="dim"))
            self._out.print(Text(plain(report.output)))


class RunProgress:
    """The bars of one run."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._task: TaskID = bars.add_task("starting", total=None)

    def show(self, event: Event) -> None:
        """Show an event of the judge's."""
        data = event.data
        if event.kind == "stage":
            self._bars.update(self._task, description=_STAGES[Stage(data["stage"])], total=data["total"], completed=0)
        elif event.kind == "case":
            self._bars.advance(self._task)


def _test_table(cases: list[CaseResult]) -> Table:
    table = Table(title="Tests", title_justify="left")
    for heading in ("case", "verdict"):
        table.add_column(heading)
    table.add_column("error / limit", justify="right")
    for case in cases:
        table.add_row(Text(case.label), _verdict(case), _error(case.error))
    return table


def _time_table(cases: list[CaseResult]) -> Table:
    table = Table(title="Timed cases", title_justify="left")
    table.add_column("case", ratio=1)
    for heading in ("time", "anchor", "speed-up (95 %)", "of floor", "pairs"):
        table.add_column(heading, justify="right", no_wrap=True)
    for case in cases:
        label = Text(case.label, style="" if case.status is Verdict.PASSED else "red")
        row: list[str | Text] = [label]
        if timing := case.timing:
            share = f"{100 * timing.floor_seconds / timing.seconds:.0f} %" if timing.floor_seconds else "–"
            row += [
                _duration(timing.seconds), _duration(timing.anchor_seconds),
                f"{math.exp(-timing.log_ratio):.3f} ({math.exp(-timing.high):.2f}–{math.exp(-timing.low):.2f})",
                share, str(timing.pairs),
            ]  # fmt: skip
        else:
            row += [case.status.value, *["–"] * 4]
        table.add_row(*row)
    return table


def _verdict(case: CaseResult) -> Text:
    return Text(case.status.value, style=_STYLES.get(case.status, "red"))


def _ratio(log_ratio: float) -> str:
    return f"{math.exp(-log_ratio):.3f}×"


def _error(error: float | None) -> str:
    return "–" if error is None or not math.isfinite(error) else f"{error:.2g}"


def _duration(seconds: float) -> str:
    """Three significant digits in the unit that fits."""
    for factor, unit in ((1e9, "ns"), (1e6, "µs"), (1e3, "ms"), (1, "s")):
        if seconds * factor < 999.5 or unit == "s":
            value = seconds * factor
            digits = max(0, 2 - math.floor(math.log10(value))) if value > 0 else 0
            return f"{value:.{digits}f} {unit}"
    raise AssertionError("unreachable")
