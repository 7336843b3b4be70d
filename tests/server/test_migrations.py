"""The migrations make exactly the schema that the models declare, and unmake it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect

from server.db import engine_for
from server.migrate import downgrade, upgrade
from server.models import Base
from tests.server.postgres import Server


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'empty.db'}"
        return
    server: Server = request.getfixturevalue("postgres_server")
    name = server.create()
    yield server.url(name)
    server.drop(name)


def test_upgrading_gives_the_schema_of_the_models(empty_url: str) -> None:
    upgrade(empty_url)
    engine = engine_for(empty_url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, Base.metadata) == []
    engine.dispose()


def test_upgrading_twice_changes_nothing_and_downgrading_leaves_nothing(empty_url: str) -> None:
    upgrade(empty_url)
    upgrade(empty_url)
    downgrade(empty_url, "base")
    engine = engine_for(empty_url)
    assert set(inspect(engine).get_table_names()) <= {"alembic_version"}
    engine.dispose()
    upgrade(empty_url)
