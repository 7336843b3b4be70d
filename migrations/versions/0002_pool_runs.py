"""Pool ranked runs of the same source: what is needed to find them and to weigh them

Revision ID: 0002
Revises: 0001
Create Date: 2026-11-30 11:14:00
"""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

from server.canonical import canonical_digest

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("submissions", sa.Column("canonical_digest", sa.String(length=64), nullable=True))
    op.add_column("runs", sa.Column("pairs", sa.Integer(), nullable=True))
    connection = op.get_bind()
    submissions = sa.table("submissions", sa.column("id"), sa.column("source"), sa.column("canonical_digest"))
    for row in connection.execute(sa.select(submissions.c.id, submissions.c.source)).all():
        digest = canonical_digest(row.source)
        connection.execute(submissions.update().where(submissions.c.id == row.id).values(canonical_digest=digest))
    runs = sa.table("runs", sa.column("id"), sa.column("report"), sa.column("log_ratio"), sa.column("pairs"))
    connection.execute(runs.update().values(pairs=0))
    for row in connection.execute(sa.select(runs.c.id, runs.c.report).where(runs.c.log_ratio.is_not(None))).all():
        connection.execute(runs.update().where(runs.c.id == row.id).values(pairs=_pairs(row.report)))
    with op.batch_alter_table("submissions") as batch:
        batch.alter_column("canonical_digest", existing_type=sa.String(length=64), nullable=False)
    with op.batch_alter_table("runs") as batch:
        batch.alter_column("pairs", existing_type=sa.Integer(), nullable=False)


def downgrade() -> None:
    with op.batch_alter_table("runs") as batch:
        batch.drop_column("pairs")
    with op.batch_alter_table("submissions") as batch:
        batch.drop_column("canonical_digest")


def _pairs(report: object) -> int:
    """How many pairs a report's timed cases have; SQLite gives JSON back as text here."""
    read = json.loads(report) if isinstance(report, str) else report
    cases = read.get("cases", []) if isinstance(read, dict) else []
    return sum(case["timing"]["pairs"] for case in cases if case.get("timing"))
