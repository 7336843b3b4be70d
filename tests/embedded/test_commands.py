"""The service's commands, run as a user runs them."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from server.auth import user_for_token
from server.cli import register
from server.db import engine_for, session_factory
from server.settings import Settings

run = CliRunner()


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> typer.Typer:
    for name in ("KERNELCUP_MODE", "KERNELCUP_DATABASE_URL", "KERNELCUP_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    made = typer.Typer()
    register(made)
    return made


def test_migrate_sync_and_token_make_a_usable_database(app: typer.Typer, tmp_path: Path) -> None:
    where = ["--data-dir", str(tmp_path)]
    for _ in range(2):
        assert run.invoke(app, ["admin", "migrate", *where]).exit_code == 0
        synced = run.invoke(app, ["admin", "sync-problems", *where])
        assert "vector_mean-cpu" in synced.output
        assert "qr-cpu" in synced.output
    made = run.invoke(app, ["admin", "token", "ada", "--admin", *where])
    assert made.exit_code == 0
    engine = engine_for(Settings(data_dir=tmp_path).database_url)
    with session_factory(engine)() as session:
        user = user_for_token(session, made.output.strip())
        assert user is not None
        assert (user.name, user.is_admin) == ("ada", True)
    engine.dispose()


def test_a_token_needs_a_migrated_database(app: typer.Typer, tmp_path: Path) -> None:
    answer = run.invoke(app, ["admin", "token", "ada", "--data-dir", str(tmp_path)])
    assert answer.exit_code == 3
    assert "kernelcup admin migrate" in answer.output


@pytest.mark.parametrize("name", ["", "-x", "a b", "<b>", "x" * 65])
def test_a_bad_user_name_is_refused(app: typer.Typer, tmp_path: Path, name: str) -> None:
    answer = run.invoke(app, ["admin", "token", "--data-dir", str(tmp_path), "--", name])
    assert answer.exit_code == 2
    assert "A name has" in answer.output


def test_production_refuses_what_is_insecure(app: typer.Typer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELCUP_MODE", "production")
    answer = run.invoke(app, ["admin", "migrate", "--data-dir", str(tmp_path)])
    assert answer.exit_code == 2
    assert "KERNELCUP_SECRET_KEY" in answer.output


def test_runner_keys_are_long_and_differ(app: typer.Typer) -> None:
    first, second = (run.invoke(app, ["admin", "runner-key"]).output.strip() for _ in range(2))
    assert len(first) == 64
    assert first != second
