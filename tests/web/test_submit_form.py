"""Submitting through the form, without JavaScript: nothing that was written is lost."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session, sessionmaker

from runners.protocol import Mode
from server.models import Submission
from tests.web.browser import Browser, parse
from tests.web.seed import HONEST, Seeded

PATH = "/boards/vector_mean-cpu/submit"
TEXT = "def custom_kernel(data):\n    return data  # mine & </textarea><b>\n"


def count(sessions: sessionmaker[Session]) -> int:
    with sessions() as session:
        return session.scalar(select(func.count()).select_from(Submission)) or 0


def newest(sessions: sessionmaker[Session]) -> Submission:
    with sessions() as session:
        found = session.scalars(select(Submission).order_by(Submission.id.desc()).limit(1)).one()
        assert found.source
        return found


def text_of(html: str) -> str:
    """What stands in the text area, as a browser reads it."""
    inside = html[html.index("<textarea") : html.index("</textarea>")]
    return parse(inside[inside.index(">") + 1 :]).text.removeprefix("\n")


def test_the_form_begins_with_a_starter_and_offers_the_others(ada: Browser) -> None:
    assert text_of(ada.get(PATH).text) == HONEST
    assert text_of(ada.get(f"{PATH}?starter=plain.py").text).startswith("def custom_kernel(data):\n    return data.")


def test_the_form_says_how_many_submissions_are_left(ada: Browser) -> None:
    assert "1000 of 1000 submissions left this hour" in ada.get(PATH).text
    ada.send_form(PATH, PATH, source=TEXT, mode="test", file_name="a.py")
    assert "999 of 1000 submissions left this hour" in ada.get(PATH).text


def test_text_is_submitted_and_leads_to_its_page(ada: Browser, sessions: sessionmaker[Session]) -> None:
    answer = ada.send_form(
        PATH, PATH, source=TEXT.replace("\n", "\r\n"), mode="benchmark", file_name="fast.py", file=("", b"")
    )
    assert answer.status_code == 303
    made = newest(sessions)
    assert answer.headers["location"] == f"/submissions/{made.id}"
    assert (made.source, made.mode, made.file_name) == (TEXT, Mode.BENCHMARK, "fast.py")
    assert "Waiting for a runner" in ada.page(f"/submissions/{made.id}").text


def test_a_file_takes_the_place_of_the_text(ada: Browser, sessions: sessionmaker[Session]) -> None:
    answer = ada.send_form(PATH, PATH, source="x", mode="test", file_name="a.py", file=("mine.py", TEXT.encode()))
    assert answer.status_code == 303
    made = newest(sessions)
    assert (made.source, made.file_name) == (TEXT, "mine.py")


def test_a_second_press_makes_no_second_submission(ada: Browser, sessions: sessionmaker[Session]) -> None:
    fields = {**ada.hidden_fields(PATH, PATH), "source": TEXT, "mode": "test", "file_name": "a.py"}
    before = count(sessions)
    first, second = ada.post(PATH, fields), ada.post(PATH, fields)
    assert first.headers["location"] == second.headers["location"]
    assert count(sessions) == before + 1
    third = ada.post(PATH, {**fields, "source": TEXT + "# changed\n"})
    assert third.headers["location"] != first.headers["location"]


@pytest.mark.parametrize(
    ("values", "status", "field", "words"),
    [
        ({"source": "  \n"}, 422, "source", "no code here"),
        ({"mode": "profile"}, 422, None, "not profile"),
        ({"mode": "fastest"}, 422, None, "Choose one of the modes"),
        ({"file_name": "kernel.exe"}, 422, "file_name", "does not end in .py"),
        ({"source": TEXT + "#" * 1_100_000}, 413, "source", "at most 1000000"),
        ({"source": TEXT + "\0"}, 422, "source", "NUL"),
    ],
)
def test_an_error_is_said_beside_the_field_and_the_text_is_kept(
    values: dict[str, str],
    status: int,
    field: str | None,
    words: str,
    ada: Browser,
    sessions: sessionmaker[Session],
) -> None:
    before = count(sessions)
    sent = {"source": TEXT, "mode": "test", "file_name": "kept name.py", **values}
    answer = ada.send_form(PATH, PATH, **sent)
    assert answer.status_code == status
    page = parse(answer.text)
    assert words in page.text
    if field:
        invalid = [item for _, item in page.tags if item.get("aria-invalid")]
        assert [item["id"] for item in invalid] == [field]
        described = invalid[0]["aria-describedby"]
        assert described in {item.get("id") for item in page.all("p")}
    if "\0" not in sent["source"] and sent["source"].strip():
        assert text_of(answer.text) == sent["source"]
    names = [item["value"] for item in page.all("input") if item.get("name") == "file_name"]
    assert names == [sent["file_name"]]
    assert count(sessions) == before


def test_a_file_that_is_not_text_is_refused_and_named(ada: Browser) -> None:
    answer = ada.send_form(PATH, PATH, source="", mode="test", file_name="", file=("mine.py", b"x = 1\n\xff\xfe"))
    assert answer.status_code == 422
    assert "Line 2 is not valid UTF-8" in parse(answer.text).text


def test_a_closed_board_refuses_and_keeps_the_text(ada: Browser) -> None:
    path = "/boards/vector_mean-old/submit"
    answer = ada.send_form(path, path, source=TEXT, mode="test", file_name="a.py")
    assert answer.status_code == 403
    assert "closed at" in parse(answer.text).text
    assert text_of(answer.text) == TEXT


def test_an_old_form_is_refused_with_the_text_kept(ada: Browser, sessions: sessionmaker[Session]) -> None:
    before = count(sessions)
    answer = ada.post(PATH, {"csrf_token": "old", "source": TEXT, "mode": "test", "file_name": "a.py"})
    assert answer.status_code == 403
    assert text_of(answer.text) == TEXT
    assert count(sessions) == before


def test_a_lost_session_keeps_the_text(anonymous: Browser) -> None:
    answer = anonymous.post(PATH, {"source": TEXT, "mode": "test", "file_name": "a.py"})
    assert answer.status_code == 401
    assert text_of(answer.text) == TEXT
    assert any(item["href"].startswith("/login?next=") for item in parse(answer.text).all("a"))


def test_the_unknown_log_in_first_and_come_back(anonymous: Browser) -> None:
    answer = anonymous.get(f"{PATH}?starter=plain.py")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/login?next=/boards/vector_mean-cpu/submit%3Fstarter%3Dplain.py"


def test_submitting_again_begins_with_ones_own_source_only(ada: Browser, grace: Browser, seeded: Seeded) -> None:
    path = f"{PATH}?again={seeded.submissions['error']}"
    assert text_of(ada.get(path).text) == "import tensorfoo\n"
    assert text_of(grace.get(path).text) == HONEST
