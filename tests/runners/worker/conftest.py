"""The real service that the runner under test works for."""

from tests.server.conftest import (  # noqa: F401
    database_url,
    postgres_server,
    postgres_template,
    service,
    sqlite_template,
    sqlite_url,
)
