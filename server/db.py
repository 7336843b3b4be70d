"""The database: engines, sessions, and transactions that behave alike on SQLite and PostgreSQL.

On SQLite a transaction that may write begins with ``BEGIN IMMEDIATE``: it waits for its turn at the start and can
never fail half-way because another process wrote in between. Readers take a snapshot and wait for nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.orm import Session, sessionmaker

from server.settings import Settings, get_settings

SETTINGS = "settings"
READS_ONLY = "kernelcup_reads_only"
BUSY_SECONDS = 30


def normal_url(url: str) -> str:
    """`url` with the driver we ship: ``postgres://`` and ``postgresql://`` use psycopg."""
    for prefix in ("postgres://", "postgresql://"):
        if url.startswith(prefix):
            return "postgresql+psycopg://" + url.removeprefix(prefix)
    return url


def engine_for(url: str) -> Engine:
    """An engine for `url` with durable, concurrent settings."""
    url = normal_url(url)
    if not url.startswith("sqlite"):
        return create_engine(url, pool_pre_ping=True, pool_size=10, max_overflow=30)
    engine = create_engine(
        url, connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False}, pool_size=10, max_overflow=50
    )
    event.listen(engine, "connect", _configure_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _configure_sqlite(connection: Any, _record: Any) -> None:
    # The driver's own transaction control would begin late and deferred; _begin_sqlite begins instead.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={BUSY_SECONDS * 1000}")
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    reads_only = connection.get_execution_options().get(READS_ONLY, False)
    connection.exec_driver_sql("BEGIN" if reads_only else "BEGIN IMMEDIATE")


def session_factory(engine: Engine, settings: Settings | None = None) -> sessionmaker[Session]:
    """Sessions that may write. `settings` travel with each session, see :func:`settings_of`."""
    return sessionmaker(engine, expire_on_commit=False, info={SETTINGS: settings} if settings else {})


def reading_factory(engine: Engine, settings: Settings | None = None) -> sessionmaker[Session]:
    """Sessions that only read, from a snapshot, without waiting for a writer."""
    return session_factory(engine.execution_options(**{READS_ONLY: True}), settings)


def settings_of(session: Session) -> Settings:
    """The settings that hold for `session`: its factory's, else the process's."""
    return session.info.get(SETTINGS) or get_settings()


@contextmanager
def session_scope(factory: sessionmaker[Session]) -> Iterator[Session]:
    """A session that commits at the end, and rolls back on an exception."""
    with factory() as session, session.begin():
        yield session
