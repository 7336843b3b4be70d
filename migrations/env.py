"""How Alembic reaches the database: by the address that server.migrate gives, else by the service's settings."""

from __future__ import annotations

from alembic import context

from server.db import engine_for
from server.models import Base
from server.settings import get_settings


def run() -> None:
    """Run the migrations in one transaction. SQLite alters tables by copying them (batch mode)."""
    url = context.config.attributes.get("url") or get_settings().database_url
    if context.is_offline_mode():
        context.configure(url=url, target_metadata=Base.metadata, literal_binds=True, render_as_batch=True)
        with context.begin_transaction():
            context.run_migrations()
        return
    engine = engine_for(url)
    with engine.connect() as connection:
        if connection.dialect.name == "sqlite":
            # A copied table must not cascade to its children.
            connection.connection.driver_connection.execute("PRAGMA foreign_keys=OFF")
        context.configure(connection=connection, target_metadata=Base.metadata, compare_type=True, render_as_batch=True)
        with context.begin_transaction():
            context.run_migrations()
    engine.dispose()


run()
