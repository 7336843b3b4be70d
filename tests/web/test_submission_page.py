"""A submission's page: whose fault, what next, how far, and live while it lasts."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session, sessionmaker

from server.models import Run, RunState, Submission
from tests.web.browser import Browser
from tests.web.seed import Seeded

VERDICTS = {
    "honest": ("Ranked", "Rank 1–2 of 4"),
    "older": ("Ranked", "a faster submission of the same author ranks"),
    "wrong": ("Your code", "The result is wrong"),
    "error": ("Your code", "No module named 'tensorfoo'"),
    "ours": ("Our fault", "We could not judge it"),
    "rejected": ("Not ranked", "The guard rejected it"),
    "review": ("Not ranked", "A person will look at it"),
    "cancelled": ("Not ranked", "Cancelled"),
    "tested": ("Correct, not ranked", "Every case passed"),
    "running": ("In progress", "Being judged"),
    "queued": ("In progress", "Waiting for a runner"),
}


@pytest.mark.parametrize("name", sorted(VERDICTS))
def test_the_verdict_says_whose_fault_and_what_next(name: str, ada: Browser, seeded: Seeded) -> None:
    label, headline = VERDICTS[name]
    text = ada.page(f"/submissions/{seeded.submissions[name]}").text
    assert label in text
    assert headline in text
    assert "Next:" in text


def test_our_faults_show_no_operator_detail(ada: Browser, seeded: Seeded) -> None:
    assert "operator only detail" not in ada.get(f"/submissions/{seeded.submissions['ours']}").text


def test_the_failing_case_comes_first(ada: Browser, seeded: Seeded) -> None:
    text = ada.page(f"/submissions/{seeded.submissions['wrong']}").text
    assert text.index("First failing case: n: 1000; family: spike") < text.index("Test cases")
    table = text[text.index("Error / limit") :]
    assert table.index("n: 1000") < table.index("n: 1; family")
    assert "expected 0.25, got 9.3125" in text
    assert "37" in table


def test_findings_name_the_line_and_mark_it(ada: Browser, seeded: Seeded) -> None:
    page = ada.page(f"/submissions/{seeded.submissions['rejected']}")
    assert "Compute the result in every call." in page.text
    assert "pointer-cache" not in page.text
    marked = [item["id"] for item in page.all("span") if item.get("class") == "line hit"]
    assert marked == ["L8"]
    assert "#L8" in [item["href"] for item in page.all("a")]


def test_findings_are_the_authors_alone(grace: Browser, seeded: Seeded) -> None:
    assert grace.get(f"/submissions/{seeded.submissions['rejected']}").status_code == 404


def test_the_timeline_counts_cases_and_pairs(ada: Browser, seeded: Seeded) -> None:
    page = ada.page(f"/submissions/{seeded.submissions['running']}")
    assert "3 of 3" in page.text
    assert "1 of 3, 34 of 60 pairs" in page.text
    current = [item for item in page.all("li") if item.get("aria-current") == "step"]
    assert len(current) == 1


def test_a_queued_submission_says_its_place(ada: Browser, seeded: Seeded) -> None:
    assert "place 1" in ada.page(f"/submissions/{seeded.submissions['queued']}").text


def test_a_live_page_polls_and_a_done_one_rests(ada: Browser, seeded: Seeded) -> None:
    running = ada.page(f"/submissions/{seeded.submissions['running']}")
    live = next(item for item in running.all("div") if item.get("id") == "live")
    assert live["hx-trigger"] == "every 1s"
    assert [item for item in running.all("meta") if item.get("http-equiv") == "refresh"]
    assert ada.get(live["hx-get"]).status_code == 204
    done = ada.page(f"/submissions/{seeded.submissions['honest']}")
    assert not [item for item in done.all("div") if "hx-get" in item]
    assert not [item for item in done.all("meta") if item.get("http-equiv") == "refresh"]


def test_the_live_part_changes_when_the_submission_does(
    ada: Browser, seeded: Seeded, sessions: sessionmaker[Session]
) -> None:
    number = seeded.submissions["running"]
    live = next(item for item in ada.page(f"/submissions/{number}").all("div") if item.get("id") == "live")
    with sessions() as session:
        submission = session.get(Submission, number)
        assert submission is not None
        run = session.get(Run, submission.runs[0].id)
        assert run is not None
        run.state = RunState.CANCELLED
        session.commit()
    answer = ada.get(live["hx-get"])
    assert answer.status_code == 200
    assert "Cancelled" in answer.text
    assert "hx-trigger" not in answer.text
    assert "is done. Not ranked: Cancelled." in answer.text


def test_cancel_is_a_form_that_works(ada: Browser, seeded: Seeded, sessions: sessionmaker[Session]) -> None:
    path = f"/submissions/{seeded.submissions['queued']}"
    answer = ada.send_form(path, f"{path}/cancel")
    assert answer.status_code == 303
    assert answer.headers["location"] == path
    text = ada.page(path).text
    assert "Cancelled" in text
    with sessions() as session:
        submission = session.get(Submission, seeded.submissions["queued"])
        assert submission is not None
        assert submission.runs[0].state == RunState.CANCELLED


def test_nobody_else_can_cancel(grace: Browser, anonymous: Browser, ada: Browser, seeded: Seeded) -> None:
    path = f"/submissions/{seeded.submissions['queued']}/cancel"
    token = grace.hidden_fields("/", "/logout")["csrf_token"]
    assert grace.post(path, {"csrf_token": token}).status_code == 404
    assert anonymous.post(path, {}).status_code == 404
    assert ada.post(path, {"csrf_token": token}).status_code == 403
    assert "Waiting for a runner" in ada.page(f"/submissions/{seeded.submissions['queued']}").text


def test_the_list_shows_ones_own_submissions(ada: Browser, grace: Browser, seeded: Seeded) -> None:
    links = {item["href"] for item in ada.page("/submissions").all("a")}
    assert f"/submissions/{seeded.submissions['wrong']}" in links
    assert f"/submissions/{seeded.submissions['tied']}" not in links
    assert f"/submissions/{seeded.submissions['tied']}" in {a["href"] for a in grace.page("/submissions").all("a")}


def test_the_list_asks_the_unknown_to_log_in(anonymous: Browser) -> None:
    answer = anonymous.get("/submissions")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/login?next=/submissions"
