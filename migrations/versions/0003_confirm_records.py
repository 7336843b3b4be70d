"""Confirm records: what is claimed, by which run, and who holds the record

Revision ID: 0003
Revises: 0002
Create Date: 2026-11-30 14:20:00
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("reason", sa.String(length=20), nullable=True))
    op.add_column("runs", sa.Column("set_aside", sa.Boolean(), nullable=True))
    runs = sa.table("runs", sa.column("reason"), sa.column("set_aside"))
    op.execute(runs.update().values(reason="submitted", set_aside=sa.false()))
    with op.batch_alter_table("runs") as batch:
        batch.alter_column("reason", existing_type=sa.String(length=20), nullable=False)
        batch.alter_column("set_aside", existing_type=sa.Boolean(), nullable=False)
    op.create_table(
        "records",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("canonical_digest", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name=op.f("fk_records_board_id_boards")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_records_user_id_users")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_records")),
    )
    op.create_index(op.f("ix_records_board_id"), "records", ["board_id"], unique=False)
    op.create_table(
        "claims",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("record_id", sa.Integer(), nullable=False),
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("canonical_digest", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("confirming_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("earlier", sa.Integer(), nullable=False),
        sa.Column("log_ratio", sa.Float(), nullable=False),
        sa.Column("low", sa.Float(), nullable=False),
        sa.Column("high", sa.Float(), nullable=False),
        sa.Column("record_log_ratio", sa.Float(), nullable=False),
        sa.Column("record_low", sa.Float(), nullable=False),
        sa.Column("record_high", sa.Float(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["record_id"], ["records.id"], name=op.f("fk_claims_record_id_records")),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name=op.f("fk_claims_board_id_boards")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_claims_user_id_users")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_claims_run_id_runs")),
        sa.ForeignKeyConstraint(["confirming_id"], ["runs.id"], name=op.f("fk_claims_confirming_id_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_claims")),
        sa.UniqueConstraint("confirming_id", name=op.f("uq_claims_confirming_id")),
        sa.UniqueConstraint("record_id", "user_id", "canonical_digest", name=op.f("uq_claims_record_id")),
    )
    op.create_index(op.f("ix_claims_board_id"), "claims", ["board_id"], unique=False)
    op.create_index(op.f("ix_claims_run_id"), "claims", ["run_id"], unique=False)
    op.create_index(op.f("ix_claims_state"), "claims", ["state"], unique=False)


def downgrade() -> None:
    """Runs that confirm are taken for their authors' own, which the older service pools like any other."""
    op.drop_table("claims")
    op.drop_table("records")
    with op.batch_alter_table("runs") as batch:
        batch.drop_column("set_aside")
        batch.drop_column("reason")
