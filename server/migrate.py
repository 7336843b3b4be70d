"""Bring a database to the newest schema: ``server.migrate.upgrade(url)``, or ``python -m server.migrate``."""

from __future__ import annotations

from alembic import command
from alembic.config import Config

from server.db import normal_url
from server.settings import get_settings


def config_for(url: str) -> Config:
    """Alembic's configuration, without a file."""
    config = Config()
    config.set_main_option("script_location", "migrations:")
    config.attributes["url"] = normal_url(url)
    return config


def upgrade(url: str, revision: str = "head") -> None:
    """Migrate the database at `url` up to `revision`."""
    command.upgrade(config_for(url), revision)


def downgrade(url: str, revision: str) -> None:
    """Migrate the database at `url` down to `revision` (``base``: empty)."""
    command.downgrade(config_for(url), revision)


def migrate() -> None:
    """Migrate the service's own database to the newest schema."""
    upgrade(get_settings().database_url)


if __name__ == "__main__":
    migrate()
