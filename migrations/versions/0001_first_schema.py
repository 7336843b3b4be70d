"""First schema

Revision ID: 0001
Revises:
Create Date: 2026-11-30 10:19:47.170126
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "problems",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=100), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("spec", sa.JSON(), nullable=False),
        sa.Column("statement", sa.Text(), nullable=False),
        sa.Column("archive", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_problems")),
        sa.UniqueConstraint("slug", "digest", name=op.f("uq_problems_slug")),
    )
    op.create_index(op.f("ix_problems_digest"), "problems", ["digest"], unique=False)
    op.create_index(op.f("ix_problems_slug"), "problems", ["slug"], unique=False)

    op.create_table(
        "runner_hosts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("device", sa.String(length=40), nullable=False),
        sa.Column("slots", sa.Integer(), nullable=False),
        sa.Column("level", sa.JSON(), nullable=False),
        sa.Column("environment", sa.JSON(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runner_hosts")),
        sa.UniqueConstraint("name", name=op.f("uq_runner_hosts_name")),
    )
    op.create_index(op.f("ix_runner_hosts_device"), "runner_hosts", ["device"], unique=False)

    op.create_table(
        "users",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("is_admin", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("name", name=op.f("uq_users_name")),
    )
    op.create_table(
        "boards",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("problem_id", sa.Integer(), nullable=False),
        sa.Column("device", sa.String(length=40), nullable=False),
        sa.Column("opens_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closes_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("hidden", sa.JSON(), nullable=False),
        sa.Column("limits", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["problem_id"], ["problems.id"], name=op.f("fk_boards_problem_id_problems")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_boards")),
        sa.UniqueConstraint("name", name=op.f("uq_boards_name")),
    )
    op.create_index(op.f("ix_boards_device"), "boards", ["device"], unique=False)
    op.create_index(op.f("ix_boards_problem_id"), "boards", ["problem_id"], unique=False)

    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("prefix", sa.String(length=12), nullable=False),
        sa.Column("label", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_tokens_user_id_users"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("digest", name=op.f("uq_tokens_digest")),
    )
    op.create_index(op.f("ix_tokens_user_id"), "tokens", ["user_id"], unique=False)

    op.create_table(
        "submissions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column(
            "mode",
            sa.Enum("test", "benchmark", "ranked", "profile", name="mode", native_enum=False, length=20),
            nullable=False,
        ),
        sa.Column("file_name", sa.String(length=200), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("source_digest", sa.String(length=64), nullable=False),
        sa.Column("line_count", sa.Integer(), nullable=False),
        sa.Column("idempotency_key", sa.String(length=100), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name=op.f("fk_submissions_board_id_boards")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_submissions_user_id_users")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submissions")),
        sa.UniqueConstraint("user_id", "idempotency_key", name=op.f("uq_submissions_user_id")),
    )
    op.create_index(op.f("ix_submissions_board_id"), "submissions", ["board_id"], unique=False)
    op.create_index(op.f("ix_submissions_source_digest"), "submissions", ["source_digest"], unique=False)
    op.create_index(op.f("ix_submissions_user_id"), "submissions", ["user_id"], unique=False)

    op.create_table(
        "runs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("device", sa.String(length=40), nullable=False),
        sa.Column(
            "mode",
            sa.Enum("test", "benchmark", "ranked", "profile", name="mode", native_enum=False, length=20),
            nullable=False,
        ),
        sa.Column(
            "state",
            sa.Enum(
                "queued",
                "dispatched",
                "running",
                "judged",
                "finished",
                "cancelled",
                name="runstate",
                native_enum=False,
                length=20,
            ),
            nullable=False,
        ),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("nonce", sa.String(length=64), nullable=False),
        sa.Column("attempt_count", sa.Integer(), nullable=False),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("queued_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("judged_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "verdict",
            sa.Enum(
                "passed",
                "wrong",
                "error",
                "timeout",
                "memory",
                "crashed",
                "judge_fault",
                name="verdict",
                native_enum=False,
                length=20,
            ),
            nullable=True,
        ),
        sa.Column(
            "decision",
            sa.Enum("clean", "review", "rejected", name="decisionoutcome", native_enum=False, length=20),
            nullable=True,
        ),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("log_ratio", sa.Float(), nullable=True),
        sa.Column("low", sa.Float(), nullable=True),
        sa.Column("high", sa.Float(), nullable=True),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("noisy", sa.Boolean(), nullable=False),
        sa.Column("floor_share", sa.Float(), nullable=True),
        sa.Column("report", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name=op.f("fk_runs_board_id_boards")),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_runs_submission_id_submissions")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_runs_user_id_users")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
    )
    op.create_index("ix_runs_queue", "runs", ["device", "state", "priority", "id"], unique=False)
    op.create_index("ix_runs_standing", "runs", ["board_id", "mode", "verdict", "decision"], unique=False)
    op.create_index(op.f("ix_runs_submission_id"), "runs", ["submission_id"], unique=False)

    op.create_table(
        "submission_events",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submissions.id"], name=op.f("fk_submission_events_submission_id_submissions")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submission_events")),
    )
    op.create_index("ix_submission_events_stream", "submission_events", ["submission_id", "id"], unique=False)

    op.create_table(
        "attempts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column(
            "state",
            sa.Enum(
                "sent", "started", "reported", "lost", "cancelled", name="attemptstate", native_enum=False, length=20
            ),
            nullable=False,
        ),
        sa.Column("token_digest", sa.String(length=64), nullable=False),
        sa.Column("runner", sa.String(length=100), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("lease_expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_attempts_run_id_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempts")),
        sa.UniqueConstraint("run_id", "number", name=op.f("uq_attempts_run_id")),
    )
    op.create_index(op.f("ix_attempts_lease_expires_at"), "attempts", ["lease_expires_at"], unique=False)
    op.create_index(op.f("ix_attempts_run_id"), "attempts", ["run_id"], unique=False)
    op.create_index(op.f("ix_attempts_state"), "attempts", ["state"], unique=False)

    op.create_table(
        "decisions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column(
            "outcome",
            sa.Enum("clean", "review", "rejected", name="decisionoutcome", native_enum=False, length=20),
            nullable=False,
        ),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("by", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["by"], ["users.id"], name=op.f("fk_decisions_by_users")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_decisions_run_id_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decisions")),
    )
    op.create_index(op.f("ix_decisions_run_id"), "decisions", ["run_id"], unique=False)

    op.create_table(
        "findings",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("rule", sa.String(length=100), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("family", sa.String(length=8), nullable=False),
        sa.Column("effect", sa.String(length=10), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("advice", sa.Text(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("column", sa.Integer(), nullable=False),
        sa.Column("excerpt", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_findings_run_id_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_findings")),
    )
    op.create_index(op.f("ix_findings_run_id"), "findings", ["run_id"], unique=False)


def downgrade() -> None:
    op.drop_index(op.f("ix_findings_run_id"), table_name="findings")

    op.drop_table("findings")
    op.drop_index(op.f("ix_decisions_run_id"), table_name="decisions")

    op.drop_table("decisions")
    op.drop_index(op.f("ix_attempts_state"), table_name="attempts")
    op.drop_index(op.f("ix_attempts_run_id"), table_name="attempts")
    op.drop_index(op.f("ix_attempts_lease_expires_at"), table_name="attempts")

    op.drop_table("attempts")
    op.drop_index("ix_submission_events_stream", table_name="submission_events")

    op.drop_table("submission_events")
    op.drop_index(op.f("ix_runs_submission_id"), table_name="runs")
    op.drop_index("ix_runs_standing", table_name="runs")
    op.drop_index("ix_runs_queue", table_name="runs")

    op.drop_table("runs")
    op.drop_index(op.f("ix_submissions_user_id"), table_name="submissions")
    op.drop_index(op.f("ix_submissions_source_digest"), table_name="submissions")
    op.drop_index(op.f("ix_submissions_board_id"), table_name="submissions")

    op.drop_table("submissions")
    op.drop_index(op.f("ix_tokens_user_id"), table_name="tokens")

    op.drop_table("tokens")
    op.drop_index(op.f("ix_boards_problem_id"), table_name="boards")
    op.drop_index(op.f("ix_boards_device"), table_name="boards")

    op.drop_table("boards")
    op.drop_table("users")
    op.drop_index(op.f("ix_runner_hosts_device"), table_name="runner_hosts")

    op.drop_table("runner_hosts")
    op.drop_index(op.f("ix_problems_slug"), table_name="problems")
    op.drop_index(op.f("ix_problems_digest"), table_name="problems")

    op.drop_table("problems")
