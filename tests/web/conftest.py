"""The real application over a real SQLite database, seeded with one submission of every kind."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from fastapi import FastAPI
from sqlalchemy.orm import Session, sessionmaker
from starlette.testclient import TestClient

from server import auth
from server.db import engine_for, session_factory
from server.main import create_app
from server.models import Base, User
from server.settings import Settings
from tests.web.browser import Browser
from tests.web.seed import Seeded, seed


@dataclass(frozen=True)
class Template:
    """A seeded database that every test gets a copy of."""

    path: Path
    seeded: Seeded


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    path = tmp_path_factory.mktemp("template") / "kernelcup.db"
    engine = engine_for(f"sqlite:///{path}")
    Base.metadata.create_all(engine)
    with session_factory(engine)() as session:
        seeded = seed(session)
    with engine.connect() as connection:
        connection.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    engine.dispose()
    return Template(path, seeded)


@pytest.fixture
def app(template: Template, tmp_path: Path) -> Iterator[FastAPI]:
    shutil.copy(template.path, tmp_path / "kernelcup.db")
    app = create_app(Settings(data_dir=tmp_path, submissions_per_hour=1000, runner_live_seconds=3600))
    yield app
    app.state.engine.dispose()


@pytest.fixture
def sessions(app: FastAPI) -> sessionmaker[Session]:
    factory: sessionmaker[Session] = app.state.sessions
    return factory


@pytest.fixture
def seeded(template: Template) -> Seeded:
    return template.seeded


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
