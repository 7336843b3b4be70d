"""Results as text and tables. Every string in them is made harmless by `clients.clean`."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from clients import results
from clients.clean import block, line
from clients.formats import digits, error, interval, moment, number, outcome, rank, share, speedup, unit_for, window
from clients.timeline import place_in_queue

CONFIRMATIONS = {
    "queued": "awaiting confirmation",
    "running": "awaiting confirmation",
    "confirmed": "confirmed",
    "refuted": "not confirmed",
}
OUTPUT_LINES = 40
LEAST_FOLDED = 4


def submission(console: Console, shown: results.Submission, *, details: bool = False) -> None:
    """What became of a submission: outcome, what failed and why, the cases, what the guard saw, what to do."""
    _head(console, shown)
    run = shown.run
    if run is not None:
        _failures(console, run)
        _cases(console, run, fold=not details)
        _findings(console, run.findings)
        _output(console, run.output)
        if details:
            _details(console, run)
    if shown.next_step:
        _say(console, Text.assemble(("next: ", "bold"), line(shown.next_step)))


def case_table(cases: Iterable[results.Case]) -> Table:
    """A row for each case. `error` is measured in limits: above 1 is wrong."""
    cases = tuple(cases)
    timings = [case.timing for case in cases if case.timing is not None]
    unit, scale = unit_for(timing.seconds for timing in timings)
    table = _table("stage", "case", "result", "error", right=("error",))
    if timings:
        for name in (unit, "speed-up", "95 %", "of floor"):
            table.add_column(name, justify="right")
    for case in cases:
        measured = _timing_cells(case.timing, scale) if timings else ()
        name = _case_name(case)
        table.add_row(line(case.stage, 20), name, outcome(case.status), error(case.error), *measured)
    return table


def board_list(boards: Iterable[results.Board]) -> Table:
    """All boards."""
    table = _table(
        "board", "problem", "device", "open", "authors", "queued", "runners", right=("authors", "queued", "runners")
    )
    for board in boards:
        counts = (str(board.entries), str(board.queued), str(board.live_runners))
        table.add_row(line(board.name), line(board.problem), line(board.device), window(board), *counts)
    return table


def standings(shown: results.BoardRows) -> Table:
    """A board's rows, fastest first; the time is that of one call."""
    unit, scale = unit_for(row.seconds for row in shown.rows)
    columns = ("rank", "author", "speed-up", "95 %", unit, "of floor", "lines", "submission", "file", "when")
    table = _table(*columns, right=("rank", "speed-up", "95 %", unit, "of floor", "lines", "submission"))
    for row in shown.rows:
        table.add_row(
            rank(row.rank_low, row.rank_high),
            _author(row),
            speedup(row.speedup, row.noisy),
            interval(row.speedup_low, row.speedup_high),
            digits(row.seconds / scale),
            share(row.floor_share),
            str(row.lines),
            f"{row.submission_id} ({row.runs} runs)" if row.runs > 1 else str(row.submission_id),
            line(row.file_name, 40),
            moment(row.submitted_at),
        )
    return table


def _author(row: results.Standing) -> Text:
    marks = ("record" if row.record else "", CONFIRMATIONS.get(row.confirmation, ""))
    return Text(" ".join([line(row.author, 40), *(f"({mark})" for mark in marks if mark)]))


def problem_list(problems: Iterable[results.Problem]) -> Table:
    """All problems."""
    table = _table("problem", "title", "boards")
    for problem in problems:
        table.add_row(line(problem.slug), line(problem.title), line(", ".join(problem.boards)))
    return table


def problem(console: Console, shown: results.Problem) -> None:
    """A problem's statement, its public cases, and what to start from."""
    _say(console, Text(f"{line(shown.title)} ({line(shown.slug)})", style="bold"))
    _say(console, Text("\n" + block(shown.statement).strip() + "\n"))
    table = _table("", "case", "flops", "bytes", right=("flops", "bytes"))
    for kind, shapes in (("test", shown.tests), ("timed", shown.benchmarks)):
        for shape in shapes:
            table.add_row(kind, line(shape.label), number(shape.flops), number(shape.bytes))
    console.print(table)
    _say(console, Text(f"boards: {line(', '.join(shown.boards)) or 'none'}"))
    _say(console, Text(f"starters (--starter NAME): {line(', '.join(shown.starters)) or 'none'}"))


def submission_list(rows: Iterable[results.SubmissionRow]) -> Table:
    """The caller's submissions, newest first."""
    table = _table("id", "board", "mode", "result", "speed-up", "file", "when", right=("id", "speed-up"))
    for row in rows:
        table.add_row(
            str(row.id),
            line(row.board),
            line(row.mode, 20),
            outcome(row.outcome),
            speedup(row.speedup),
            line(row.file_name, 40),
            moment(row.created_at),
        )
    return table


def queues(shown: Iterable[results.Queue]) -> Table:
    """Each device's queue."""
    table = _table("device", "queued", "running", "runners", right=("queued", "running", "runners"))
    for queue in shown:
        table.add_row(line(queue.device), str(queue.queued), str(queue.running), str(queue.live_runners))
    return table


def _table(*columns: str, right: tuple[str, ...] = ()) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(name, justify="right" if name in right else "left", overflow="fold")
    return table


def _say(console: Console, text: Text) -> None:
    """Print `text` and leave its wrapping to the terminal."""
    console.print(text, soft_wrap=True)


def _head(console: Console, shown: results.Submission) -> None:
    where = f" · submission {shown.id} on {line(shown.board)} ({line(shown.mode, 20)}, {line(shown.file_name, 80)})"
    head = outcome(shown.outcome)
    head.stylize("bold")
    _say(console, Text.assemble(head, where))
    run = shown.run
    if run is None:
        return
    if run.speedup is not None:
        _say(console, Text(_score(run, run.speedup)))
    if run.confirmation in CONFIRMATIONS:
        _say(console, Text(f"record: {CONFIRMATIONS[run.confirmation]} by a fresh run"))
    if run.fault == "ours":
        _say(console, Text("This is our fault, not yours; it costs you nothing.", style="yellow"))
    if waiting := place_in_queue(run):
        _say(console, Text(waiting))
    if run.message:
        _say(console, Text(block(run.message).strip()))


def _score(run: results.Run, factor: float) -> str:
    words = f"{speedup(factor, run.noisy)} as fast as the reference"
    if run.speedup_low is not None and run.speedup_high is not None:
        words += f" ({interval(run.speedup_low, run.speedup_high)})"
    if run.seconds is not None:
        unit, scale = unit_for([run.seconds])
        words += f", {digits(run.seconds / scale)} {unit}"
    return words


def _failures(console: Console, run: results.Run) -> None:
    told = block(run.message).strip()
    for case in run.cases:
        if case.passed:
            continue
        name = f"{line(case.stage, 20)} {case.index + 1} ({_case_name(case)})"
        _say(console, Text.assemble(outcome(case.status), f": {name}"))
        words = block(case.message).strip()
        if words and words != told:
            _say(console, Text(_indented(words)))


def _cases(console: Console, run: results.Run, *, fold: bool) -> None:
    """The table of cases; with `fold`, a line for the many tests that passed and a row for each of the others."""
    folded = [case for case in run.cases if fold and case.passed and case.timing is None]
    if len(folded) < LEAST_FOLDED:
        folded = []
    shown = [case for case in run.cases_worst_first() if case not in folded]
    if folded:
        _say(console, Text(f"{len(folded)} cases passed (each in `kernelcup show`)"))
    if shown:
        console.print(case_table(shown))


def _findings(console: Console, findings: Iterable[results.Finding]) -> None:
    for finding in findings:
        where = f"line {finding.line}: " if finding.line else ""
        label = f"guard ({line(finding.family, 20)}, {line(finding.effect, 20)}): "
        _say(console, Text.assemble((label, "yellow"), where, line(finding.message)))
        if finding.advice:
            _say(console, Text(_indented(f"what to do: {line(finding.advice)}")))


def _output(console: Console, output: str) -> None:
    lines = block(output).rstrip().splitlines()
    if not lines:
        return
    cut = len(lines) - OUTPUT_LINES
    _say(console, Text("output:" if cut <= 0 else f"output, without the first {cut} lines:", style="bold"))
    _say(console, Text(_indented("\n".join(lines[-OUTPUT_LINES:]))))


def _details(console: Console, run: results.Run) -> None:
    for title, entries in (("environment", run.environment), ("isolation", run.level)):
        for name, value in entries.items():
            _say(console, Text(f"{title} {line(name, 60)}: {line(value)}", style="dim"))
    if run.nonce:
        _say(console, Text(f"nonce: {line(run.nonce)}", style="dim"))


def _timing_cells(timing: results.Timing | None, scale: float) -> tuple[str, ...]:
    if timing is None:
        return ("",) * 4
    return (
        digits(timing.seconds / scale),
        speedup(timing.speedup, timing.noisy),
        interval(timing.speedup_low, timing.speedup_high),
        share(timing.floor_share),
    )


def _case_name(case: results.Case) -> str:
    label = line(case.label)
    return f"hidden: {label}" if case.hidden and label != "hidden" else label


def _indented(text: str) -> str:
    return "\n".join(f"  {part}" for part in text.strip().splitlines())
