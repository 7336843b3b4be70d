"""Databases and services for the tests, on SQLite and on PostgreSQL."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from server.db import engine_for, session_factory
from server.main import create_app
from server.migrate import upgrade
from server.seed import sync_library
from server.settings import Settings
from tests.server import postgres
from tests.server.service import Service

SECRETS = {"secret_key": "a1" * 32, "runner_key": "b2" * 32}


def _seed(url: str) -> None:
    upgrade(url)
    engine = engine_for(url)
    with session_factory(engine)() as session:
        sync_library(session, Settings(database_url=url, broker_url="memory://", **SECRETS))
    engine.dispose()


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated and seeded SQLite database, to be copied."""
    path = tmp_path_factory.mktemp("sqlite") / "template.db"
    _seed(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.Server]:
    """A PostgreSQL server."""
    if reason := postgres.why_missing():
        pytest.skip(reason)
    with postgres.server() as server:
        yield server


@pytest.fixture(scope="session")
def postgres_template(postgres_server: postgres.Server) -> str:
    """A migrated and seeded PostgreSQL database, to be copied."""
    name = postgres_server.create()
    _seed(postgres_server.url(name))
    return name


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """A seeded SQLite database of the test's own."""
    shutil.copy(sqlite_template, tmp_path / "kernelcup.db")
    return f"sqlite:///{tmp_path / 'kernelcup.db'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """A seeded database of the test's own; the test runs on both kinds."""
    if request.param == "sqlite":
        yield request.getfixturevalue("sqlite_url")
        return
    server: postgres.Server = request.getfixturevalue("postgres_server")
    name = server.create(request.getfixturevalue("postgres_template"))
    yield server.url(name)
    server.drop(name)


def make_settings(url: str, folder: Path, **changes: object) -> Settings:
    """Settings of a service under test."""
    values: dict[str, object] = {
        "database_url": url,
        "broker_url": "memory://",
        "data_dir": folder,
        "event_poll_seconds": 0.01,
        "event_stream_seconds": 2.0,
        **SECRETS,
        **changes,
    }
    return Settings(**values)  # type: ignore[arg-type]


def make_service(url: str, folder: Path, **changes: object) -> Iterator[Service]:
    """A service on the database at `url`."""
    settings = make_settings(url, folder, **changes)
    app = create_app(settings)
    with TestClient(app, raise_server_exceptions=False) as client:
        yield Service(app, settings, client)


@pytest.fixture
def service(sqlite_url: str, tmp_path: Path) -> Iterator[Service]:
    """A service on SQLite."""
    yield from make_service(sqlite_url, tmp_path)


@pytest.fixture
def both(database_url: str, tmp_path: Path) -> Iterator[Service]:
    """A service on each kind of database."""
    yield from make_service(database_url, tmp_path)
