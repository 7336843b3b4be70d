"""The database's history: Alembic revisions."""
