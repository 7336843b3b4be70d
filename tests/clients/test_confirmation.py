"""How a claim to the record stands is told on the board, beside a result and while one follows it."""

from __future__ import annotations

import pytest
from rich.console import Console

from clients import render
from clients.decode import decode
from clients.results import BoardRows, Event, Submission
from clients.timeline import Timeline
from tests.clients.contract_service import board, run, submission

ROW = {
    "rank_low": 1, "rank_high": 1, "submission_id": 7, "run_id": 70, "author": "ann", "file_name": "f.py",
    "speedup": 2.0, "speedup_low": 1.9, "speedup_high": 2.1, "seconds": 1e-4,
}  # fmt: skip


@pytest.mark.parametrize(
    ("marks", "told"),
    [
        ({"record": True, "confirmation": "confirmed"}, "ann (record) (confirmed)"),
        ({"record": False, "confirmation": "queued"}, "ann (awaiting confirmation)"),
        ({"record": False, "confirmation": "refuted"}, "ann (not confirmed)"),
        ({}, "ann"),
    ],
)
def test_a_row_bears_its_marks(marks: dict[str, object], told: str) -> None:
    rows = decode(BoardRows, {"board": board(), "rows": [{**ROW, **marks}]})
    console = Console(width=200)
    with console.capture() as captured:
        console.print(render.standings(rows))
    line = next(text for text in captured.get().splitlines() if "ann" in text)
    assert told in line
    assert ("(" in line.replace("runs)", "")) == bool(marks)


def test_a_result_says_how_its_claim_stands() -> None:
    shown = decode(Submission, submission(runs=[run(mode="ranked", confirmation="running")], done=True))
    console = Console(width=200)
    with console.capture() as captured:
        render.submission(console, shown)
    assert "record: awaiting confirmation by a fresh run" in captured.get()


def test_an_event_of_a_claim_is_worth_a_line() -> None:
    assert Timeline().take(Event(1, "confirmation", {"state": "queued"})) == "confirmation of the record: queued"
