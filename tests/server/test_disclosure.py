"""What nobody but its owner may see, checked by an allow-list of keys and by searching for secrets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from runners.protocol import CaseResult, Stage, Verdict, encode
from server.disclosure import case_for_author, family_of
from server.models import Board
from tests.server.service import BOARD, Service, failed, passed, timing

KEYS = {
    "id",
    "board",
    "problem",
    "author",
    "mode",
    "file_name",
    "created_at",
    "outcome",
    "done",
    "next_step",
    "source",
    "runs",
    "confirmations",
    "confirmation",
    "reason",
    "record",
    "device",
    "state",
    "verdict",
    "decision",
    "fault",
    "message",
    "position",
    "eta_seconds",
    "waiting_reason",
    "attempts",
    "queued_at",
    "started_at",
    "finished_at",
    "speedup",
    "speedup_low",
    "speedup_high",
    "seconds",
    "noisy",
    "nonce",
    "cases",
    "findings",
    "environment",
    "level",
    "output",
    "stage",
    "index",
    "label",
    "hidden",
    "status",
    "error",
    "timing",
    "pairs",
    "calls",
    "anchor_seconds",
    "resolution_seconds",
    "floor_seconds",
    "floor_share",
    "name",
    "title",
    "opens_at",
    "closes_at",
    "is_open",
    "entries",
    "queued",
    "live_runners",
    "rows",
    "rank_low",
    "rank_high",
    "submission_id",
    "run_id",
    "lines",
    "submitted_at",
    "slug",
    "digest",
    "summary",
    "statement",
    "tests",
    "benchmarks",
    "starters",
    "reference",
    "ranking_by",
    "boards",
    "params",
    "flops",
    "bytes",
    "running",
}
"""Keys of submissions, runs, cases, timings, boards, rows, problems and queues."""
FREE = {"environment", "level", "params", "starters"}
HIDDEN = "31337"


def keys_of(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from keys_of(item)
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            if key not in FREE:
                yield from keys_of(item)


@pytest.fixture
def ranked(service: Service) -> tuple[Service, dict[str, str], int]:
    ann = service.author("ann")
    return service, ann, service.decided(ann, passed(), "clean")


def test_public_answers_hold_only_keys_that_were_thought_of(ranked: tuple[Service, dict[str, str], int]) -> None:
    service, ann, submission = ranked
    for path in ("boards", f"boards/{BOARD}", f"boards/{BOARD}/rows", "problems", "queue", f"submissions/{submission}"):
        for headers in ({}, ann):
            answer = service.client.get(f"/api/v1/{path}", headers=headers)
            assert answer.status_code == 200
            assert set(keys_of(answer.json())) - KEYS == set(), path


def test_a_stranger_sees_numbers_of_a_ranked_submission_only(ranked: tuple[Service, dict[str, str], int]) -> None:
    service, _, submission = ranked
    for headers in ({}, service.author("bob")):
        seen = service.get(submission, headers)
        run = seen["runs"][0]
        assert (seen["source"], seen["next_step"], run["message"], run["output"], run["findings"]) == (
            None,
            "",
            "",
            "",
            [],
        )
        assert run["speedup"] > 1
        assert HIDDEN not in str(seen)


@pytest.mark.parametrize("outcome", ["review", "rejected"])
def test_a_stranger_sees_nothing_of_other_submissions(service: Service, outcome: str) -> None:
    ann, bob = service.author("ann"), service.author("bob")
    numbers = [service.submit(ann), service.judged(ann, passed()), service.decided(ann, passed(), outcome)]
    for number in numbers:
        for headers in ({}, bob):
            answer = service.client.get(f"/api/v1/submissions/{number}", headers=headers)
            nothing = service.client.get("/api/v1/submissions/999", headers=headers)
            assert answer.status_code == nothing.status_code == 404
            assert answer.json()["detail"] == nothing.json()["detail"].replace("999", str(number))


def test_the_list_holds_ones_own_only(service: Service) -> None:
    ann, bob = service.author("ann"), service.author("bob")
    mine, _ = service.submit(ann), service.submit(bob)
    assert [row["id"] for row in service.client.get("/api/v1/submissions", headers=ann).json()] == [mine]


def test_the_list_goes_on_page_by_page(service: Service) -> None:
    ann = service.author()
    numbers = [service.submit(ann) for _ in range(5)]
    page = service.client.get("/api/v1/submissions?limit=2", headers=ann).json()
    assert [row["id"] for row in page] == numbers[:2:-1]
    page = service.client.get(f"/api/v1/submissions?limit=2&before={page[-1]['id']}", headers=ann).json()
    assert [row["id"] for row in page] == [numbers[2], numbers[1]]


def test_hidden_cases_show_their_family_to_their_author(ranked: tuple[Service, dict[str, str], int]) -> None:
    service, ann, submission = ranked
    for path in (f"submissions/{submission}", f"submissions/{submission}/report"):
        answer = service.client.get(f"/api/v1/{path}", headers=ann)
        assert HIDDEN not in answer.text
        assert "family: spike" in answer.text


@pytest.mark.parametrize("verdict", [Verdict.ERROR, Verdict.CRASHED, Verdict.TIMEOUT, Verdict.MEMORY, Verdict.WRONG])
def test_a_kernel_cannot_spell_out_a_hidden_input(service: Service, verdict: Verdict) -> None:
    ann = service.author()
    label = f"n: {HIDDEN}; family: spike"
    spelled = label if verdict == Verdict.WRONG else f"ValueError: the shape was ({HIDDEN},)"
    submission = service.judged(ann, failed(verdict, spelled, hidden=True))
    seen = (
        str(service.get(submission, ann))
        + service.client.get(f"/api/v1/submissions/{submission}/report", headers=ann).text
    )
    assert HIDDEN not in seen
    assert HIDDEN not in str(service.run_of(submission).message)


def test_a_public_case_shows_what_the_kernel_said(service: Service) -> None:
    ann = service.author()
    submission = service.judged(ann, failed(Verdict.ERROR, "ValueError: mine"), mode="test")
    run = service.get(submission, ann)["runs"][0]
    assert run["message"] == run["cases"][0]["message"] == "ValueError: mine"
    assert run["output"] == "printed"


def test_the_output_of_a_ranked_run_is_never_shown(service: Service) -> None:
    ann = service.author()
    submission = service.judged(ann, failed(Verdict.ERROR), mode="ranked")
    assert service.get(submission, ann)["runs"][0]["output"] == ""
    assert service.client.get(f"/api/v1/submissions/{submission}/report", headers=ann).json()["output"] == ""


def test_the_nonce_is_published_with_the_report_and_not_before(service: Service) -> None:
    ann = service.author()
    submission, job = service.started(ann, mode="ranked")
    nonce = service.run_of(submission).nonce
    assert nonce not in str(service.get(submission, ann))
    service.put(job, "report", encode(passed()))
    assert service.get(submission, ann)["runs"][0]["nonce"] == nonce


def test_the_report_waits_for_the_verdict_and_is_for_the_author_alone(service: Service) -> None:
    ann = service.author()
    submission, job = service.started(ann)
    url = f"/api/v1/submissions/{submission}/report"
    early = service.client.get(url, headers=ann)
    assert (early.status_code, early.json()["code"]) == (404, "no_report")
    service.put(job, "report", encode(failed(Verdict.WRONG, detail="for operators")))
    assert "for operators" not in service.client.get(url, headers=ann).text
    assert service.client.get(url, headers=service.author("bob")).status_code == 404
    assert service.client.get(url).status_code == 401


def test_no_hidden_case_of_any_board_is_in_any_public_answer(service: Service) -> None:
    with service.sessions() as session:
        boards = session.query(Board).all()
    assert all(board.hidden for board in boards)
    pages = "".join(service.client.get(f"/api/v1/{path}").text for path in ("boards", "problems", "queue"))
    for board in boards:
        for params in board.hidden:
            label = "; ".join(f"{name}: {value}" for name, value in params.items())
            assert label not in pages


def test_an_admin_sees_the_submission_but_not_its_source(service: Service) -> None:
    submission = service.judged(service.author("ann"), failed(Verdict.ERROR, "said"), mode="test")
    seen = service.get(submission, service.author("root", admin=True))
    assert seen["runs"][0]["message"] == "said"
    assert seen["source"] is None


def test_neither_a_floor_nor_the_digits_of_an_error_give_a_hidden_size_away() -> None:
    public, hidden = (
        CaseResult(Stage.TIME, 0, "n: 31337; family: spike", secret, Verdict.WRONG, error=313.37, timing=timing())
        for secret in (False, True)
    )
    tested = replace(public, stage=Stage.TEST)
    shown = [case_for_author(case) for case in (tested, public, hidden)]
    assert [case.error for case in shown] == [313.37, 300.0, 300.0]
    floors = [case.timing.floor_seconds for case in shown if case.timing]
    assert floors == [1e-4, 1e-4, None]


@pytest.mark.parametrize(
    ("label", "family"),
    [("n: 1; family: spike", "family: spike"), ("n: 1", "hidden"), ("", "hidden"), ("subfamily: x; n: 2", "hidden")],
)
def test_of_a_hidden_label_the_family_is_left(label: str, family: str) -> None:
    assert family_of(label) == family
