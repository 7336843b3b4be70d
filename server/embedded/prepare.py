"""``python -m server.embedded.prepare``: what must be true before the service starts. Safe to repeat.

The database has the newest form, the problems and boards are those of the library, and the local user has a token.
"""

from __future__ import annotations

import getpass

from sqlalchemy.orm import Session

from server.auth import user_for_token
from server.db import engine_for, session_factory, session_scope
from server.embedded.accounts import give_token
from server.embedded.home import Home, write_private
from server.migrate import upgrade
from server.seed import sync_library
from server.settings import get_settings


def main() -> None:
    """Prepare the database that the settings name, and the data directory."""
    settings = get_settings()
    upgrade(settings.database_url)
    engine = engine_for(settings.database_url)
    try:
        factory = session_factory(engine)
        with factory() as session:
            sync_library(session, settings)
        with session_scope(factory) as session:
            _keep_token(session, Home.at(settings.data_dir))
    finally:
        engine.dispose()


def _keep_token(session: Session, home: Home) -> None:
    """See to it that the token file holds a token of the local user, who administers the service."""
    if home.token_file.exists() and user_for_token(session, home.token_file.read_text().strip()):
        return
    write_private(home.token_file, give_token(session, local_user(), "local", admin=True))


def local_user() -> str:
    """The name that the operating system has for us."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "local"


if __name__ == "__main__":
    main()
