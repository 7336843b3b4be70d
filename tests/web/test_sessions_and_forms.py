"""Logging in and out, and the forms that other sites must not be able to send."""

from __future__ import annotations

import pytest
from fastapi import FastAPI
from sqlalchemy.orm import Session, sessionmaker

from server import auth
from server.models import User
from tests.web.browser import Browser, parse
from tests.web.seed import HONEST, Seeded
from web import csrf
from web.local_path import local_path

SUBMIT = "/boards/vector_mean-cpu/submit"


def token_of(sessions: sessionmaker[Session], seeded: Seeded, name: str) -> str:
    with sessions() as session:
        user = session.get(User, seeded.users[name])
        assert user is not None
        token = auth.make_token(session, user)
        session.commit()
        return token


def test_a_token_logs_in_and_leads_back(anonymous: Browser, seeded: Seeded, sessions: sessionmaker[Session]) -> None:
    answer = anonymous.send_form("/login?next=/submissions", "/login", token=f" {token_of(sessions, seeded, 'ada')}\n")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/submissions"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "My submissions" in anonymous.page("/submissions").text


@pytest.mark.parametrize(("token", "status"), [("", 422), ("kc_wrong", 403), ("nonsense", 403)])
def test_a_wrong_token_is_refused_beside_its_field(token: str, status: int, anonymous: Browser) -> None:
    answer = anonymous.send_form("/login", "/login", token=token)
    assert answer.status_code == status
    page = parse(answer.text)
    assert [item["id"] for item in page.all("input") if item.get("aria-invalid")] == ["token"]
    assert "kernelcup_session" not in answer.headers.get("set-cookie", "")


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/", "//evil.example", "/\\evil.example", "\\\\evil.example", "/\t/evil.example",
        "javascript:alert(1)", "evil", "", "/\n/evil.example", " /x",
    ],
)  # fmt: skip
def test_a_login_never_leads_to_another_site(
    target: str, anonymous: Browser, seeded: Seeded, sessions: sessionmaker[Session]
) -> None:
    assert local_path(target) == "/"
    answer = anonymous.send_form("/login", "/login", token=token_of(sessions, seeded, "ada"), next=target)
    assert answer.headers["location"] == "/"


def test_a_local_path_keeps_its_query() -> None:
    assert local_path("/boards/a/submit?starter=x.py") == "/boards/a/submit?starter=x.py"


def test_logging_out_is_a_form_and_ends_the_session(ada: Browser) -> None:
    assert ada.get("/logout").status_code == 405
    assert ada.send_form("/", "/logout").status_code == 303
    assert ada.get("/submissions").status_code == 303


def test_logging_out_needs_the_token(ada: Browser) -> None:
    assert ada.post("/logout", {}).status_code == 403
    assert ada.get("/submissions").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Referer": "https://evil.example/testserver"},
        {},
    ],
)
def test_a_form_from_another_site_changes_nothing(headers: dict[str, str], ada: Browser) -> None:
    fields = {**ada.hidden_fields(SUBMIT, SUBMIT), "source": HONEST, "mode": "test", "file_name": "a.py"}
    assert ada.post(SUBMIT, fields, headers=headers).status_code == 403
    assert ada.post("/logout", fields, headers=headers).status_code == 403
    assert ada.get("/submissions").status_code == 200


def test_a_token_of_another_account_or_browser_is_refused(app: FastAPI, ada: Browser, grace: Browser) -> None:
    fields = {**grace.hidden_fields(SUBMIT, SUBMIT), "source": HONEST, "mode": "test", "file_name": "a.py"}
    assert ada.post(SUBMIT, fields).status_code == 403


def test_tokens_are_bound_to_cookie_user_and_key(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = csrf.token("key", "cookie", 7)
    assert csrf.is_valid("key", sent, "cookie", 7)
    assert not csrf.is_valid("key", sent, "other", 7)
    assert not csrf.is_valid("key", sent, None, 7)
    assert not csrf.is_valid("key", sent, "cookie", 8)
    assert not csrf.is_valid("key", sent, "cookie", None)
    assert not csrf.is_valid("another", sent, "cookie", 7)
    monkeypatch.setattr(csrf, "LIFETIME_SECONDS", -1)
    assert not csrf.is_valid("key", sent, "cookie", 7)
