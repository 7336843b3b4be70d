"""The real application over a real SQLite database, seeded with one submission of every kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from sqlalchemy.orm import Session, sessionmaker
from starlette.testclient import TestClient

from server import auth
from server.main import create_app
from server.models import Base, User
from server.settings import Settings
from tests.web.browser import Browser
from tests.web.seed import Seeded, seed


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path, submissions_per_hour=1000)


@pytest.fixture
def app(settings: Settings) -> Iterator[FastAPI]:
    app = create_app(settings)
    Base.metadata.create_all(app.state.engine)
    yield app
    app.state.engine.dispose()


@pytest.fixture
def sessions(app: FastAPI) -> sessionmaker[Session]:
    factory: sessionmaker[Session] = app.state.sessions
    return factory


@pytest.fixture
def seeded(sessions: sessionmaker[Session]) -> Seeded:
    with sessions() as session:
        return seed(session)


@pytest.fixture
def anonymous(app: FastAPI, seeded: Seeded) -> Browser:
    return Browser(TestClient(app, raise_server_exceptions=False))


@pytest.fixture
def ada(app: FastAPI, seeded: Seeded, sessions: sessionmaker[Session]) -> Browser:
    return signed_in(app, seeded, sessions, "ada")


@pytest.fixture
def grace(app: FastAPI, seeded: Seeded, sessions: sessionmaker[Session]) -> Browser:
    return signed_in(app, seeded, sessions, "grace")


def signed_in(app: FastAPI, seeded: Seeded, sessions: sessionmaker[Session], name: str) -> Browser:
    """A browser in which `name` has logged in through the form."""
    with sessions() as session:
        user = session.get(User, seeded.users[name])
        assert user is not None
        token = auth.make_token(session, user)
        session.commit()
    browser = Browser(TestClient(app, raise_server_exceptions=False))
    answer = browser.send_form("/login", "/login", token=token)
    assert answer.status_code == 303
    return browser
