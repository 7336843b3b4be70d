"""What the demo reads and how it shows what came of it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, get_args

import pytest
from rich.console import Console

from server.embedded.entries import BadEntryError, Entry, examples_folder, read_entries
from server.embedded.show import Line, board_table, duration, one_line, outcome_table
from server.schemas import Outcome


def submission(outcome: str, **run: Any) -> dict[str, Any]:
    blank = {"speedup": None, "waiting_reason": "", "findings": [], "cases": [], "message": ""}
    return {"id": 1, "outcome": outcome, "done": True, "runs": [{**blank, **run}]}


def entry(expect: str = "ranked") -> Entry:
    return Entry("cheat", "vector_mean-cpu", Path("half_read.py"), "oscar", expect, "reads half")


def printed(table: Any) -> str:
    out = io.StringIO()
    Console(file=out, width=160, color_system=None).print(table)
    return out.getvalue()


def test_the_examples_cover_both_boards_with_honest_kernels_and_cheats() -> None:
    entries = read_entries(examples_folder())
    kinds = {(item.kind, item.board) for item in entries}
    assert kinds == {(kind, board) for kind in ("honest", "cheat") for board in ("vector_mean-cpu", "qr-cpu")}
    assert all(item.expect in get_args(Outcome) for item in entries)
    assert all(item.expect == "ranked" for item in entries if item.kind == "honest")
    assert not any(item.expect == "ranked" for item in entries if item.kind == "cheat")


def test_honest_kernels_and_cheats_take_turns() -> None:
    kinds = [item.kind for item in read_entries(examples_folder())]
    assert "honest" in kinds[:3]
    assert "cheat" in kinds[:3]


def test_a_kernel_without_a_header_is_named(tmp_path: Path) -> None:
    path = tmp_path / "honest" / "vector_mean-cpu" / "bare.py"
    path.parent.mkdir(parents=True)
    path.write_text("# author: ada\n\ndef custom_kernel(x): ...\n")
    with pytest.raises(BadEntryError, match=r"bare\.py.*expect"):
        read_entries(tmp_path)


def test_an_unexpected_outcome_is_marked() -> None:
    lines = [Line(entry("wrong"), submission("wrong")), Line(entry("wrong"), submission("ranked", speedup=1.5))]
    text = printed(outcome_table(lines))
    assert "✓" in text
    assert "✗ wrong" in text
    assert "1.50 times the reference" in text


def test_the_reason_is_the_failing_case_or_the_gravest_finding() -> None:
    cases = [{"status": "passed", "message": ""}, {"status": "wrong", "message": "n: 33: got 0"}]
    assert Line(entry(), submission("wrong", cases=cases)).why == "n: 33: got 0"
    assert Line(entry(), submission("error", message="no custom_kernel")).why == "no custom_kernel"
    findings = [
        {"effect": "note", "line": 1, "message": "a note"},
        {"effect": "reject", "line": 9, "message": "replaces a clock"},
    ]
    assert Line(entry(), submission("rejected", findings=findings)).why == "line 9: replaces a clock"


def test_what_authors_wrote_is_not_read_as_markup_or_control() -> None:
    hostile = "[red]x[/red] \x1b[31m\nsecond line"
    text = printed(outcome_table([Line(entry("error"), submission("error", message=hostile))]))
    assert "[red]x[/red]" in text
    assert "\x1b" not in text
    assert one_line("a\x1b[2J\tb\n c") == "a [2J b c"


def test_a_board_shows_rank_interval_and_share_of_the_floor() -> None:
    row = {
        "rank_low": 2, "rank_high": 4, "author": "ada", "file_name": "k.py", "speedup": 1.234, "speedup_low": 1.2,
        "speedup_high": 1.3, "seconds": 0.000123, "floor_share": 0.41, "noisy": True,
    }  # fmt: skip
    text = printed(board_table({"board": {"name": "b-cpu", "title": "B"}, "rows": [row]}))
    for shown in ("2–4", "ada", "1.23×", "1.20 – 1.30 noisy", "123 µs", "41%"):
        assert shown in text


@pytest.mark.parametrize(("seconds", "text"), [(2.5, "2.5 s"), (0.0123, "12.3 ms"), (4.2e-6, "4.2 µs"), (5e-9, "5 ns")])
def test_durations_choose_their_unit(seconds: float, text: str) -> None:
    assert duration(seconds) == text
