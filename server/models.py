"""The database: the truth about every submission.

States of a run, and who moves it on::

    queued --dispatcher--> dispatched --runner--> running --report--> judged --guard--> finished
       ^                        |                    |
       +------- sweeper (lease expired, fewer than three attempts) ---+
    queued, dispatched, running --author--> cancelled

`finished` and `cancelled` are terminal. A run has exactly one report, recorded with its verdict in one transaction,
fenced by the attempt that made it.
"""

from __future__ import annotations

import enum
from datetime import UTC, datetime
from typing import Any, ClassVar

from sqlalchemy import (
    JSON,
    BigInteger,
    DateTime,
    Enum,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

from runners.protocol import Mode, Verdict


def utc_now() -> datetime:
    """The current time, aware, in UTC."""
    return datetime.now(UTC)


class UTCDateTime(TypeDecorator[datetime]):
    """Aware UTC datetimes on every database; SQLite would give them back naive."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Refuse naive values, store UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a naive datetime was given to the database")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Always aware, always UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def stored_enum(kind: type[enum.StrEnum]) -> Enum:
    """An enumeration stored by its value, as a string that no database type pins down."""
    return Enum(kind, native_enum=False, length=20, values_callable=lambda members: [m.value for m in members])


class RunState(enum.StrEnum):
    """Where a run is in its life."""

    QUEUED = "queued"
    DISPATCHED = "dispatched"
    RUNNING = "running"
    JUDGED = "judged"
    FINISHED = "finished"
    CANCELLED = "cancelled"


LIVE_STATES = (RunState.QUEUED, RunState.DISPATCHED, RunState.RUNNING, RunState.JUDGED)


class AttemptState(enum.StrEnum):
    """Whether an attempt may still report."""

    SENT = "sent"
    STARTED = "started"
    REPORTED = "reported"
    LOST = "lost"
    CANCELLED = "cancelled"


class DecisionOutcome(enum.StrEnum):
    """What the guard, or a person, decided. Only `clean` ranks."""

    CLEAN = "clean"
    REVIEW = "review"
    REJECTED = "rejected"


class RunReason(enum.StrEnum):
    """Why there is a run: its author wants it, or a record must be confirmed, which is the service's own affair."""

    SUBMITTED = "submitted"
    CONFIRMATION = "confirmation"


class ClaimState(enum.StrEnum):
    """What the fresh run has said of a claim to the record."""

    OPEN = "open"
    CONFIRMED = "confirmed"
    REFUTED = "refuted"


class Base(DeclarativeBase):
    """Declarative base with named constraints, so that migrations can alter them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        datetime: UTCDateTime(),
        dict[str, Any]: JSON(),
        list[dict[str, Any]]: JSON(),
    }


class User(Base):
    """Whoever submits, reviews or administers."""

    __tablename__ = "users"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(64), unique=True)
    is_admin: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(default=utc_now)


class Token(Base):
    """A bearer token. Only its SHA-256 is kept; `prefix` lets its owner recognise it."""

    __tablename__ = "tokens"
    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    prefix: Mapped[str] = mapped_column(String(12))
    label: Mapped[str] = mapped_column(String(64), default="")
    created_at: Mapped[datetime] = mapped_column(default=utc_now)
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    user: Mapped[User] = relationship(lazy="joined")


class Problem(Base):
    """One version of a problem, by the digest of its package. Runners fetch `archive` by digest."""

    __tablename__ = "problems"
    __table_args__ = (UniqueConstraint("slug", "digest"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    slug: Mapped[str] = mapped_column(String(100), index=True)
    digest: Mapped[str] = mapped_column(String(64), index=True)
    title: Mapped[str] = mapped_column(String(200))
    spec: Mapped[dict[str, Any]]
    statement: Mapped[str] = mapped_column(Text)
    archive: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    created_at: Mapped[datetime] = mapped_column(default=utc_now)


class Board(Base):
    """A problem on one device, with a window in time. `hidden` are its fixed hidden cases, never shown."""

    __tablename__ = "boards"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(100), unique=True)
    problem_id: Mapped[int] = mapped_column(ForeignKey("problems.id"), index=True)
    device: Mapped[str] = mapped_column(String(40), index=True)
    opens_at: Mapped[datetime | None]
    closes_at: Mapped[datetime | None]
    hidden: Mapped[list[dict[str, Any]]]
    limits: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(default=utc_now)
    problem: Mapped[Problem] = relationship(lazy="joined")


class Submission(Base):
    """One source file by one author for one board, in one mode. Never altered once committed.

    `canonical_digest` is the same for sources that differ in comments and white space alone.
    """

    __tablename__ = "submissions"
    __table_args__ = (UniqueConstraint("user_id", "idempotency_key"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    board_id: Mapped[int] = mapped_column(ForeignKey("boards.id"), index=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), index=True)
    mode: Mapped[Mode] = mapped_column(stored_enum(Mode))
    file_name: Mapped[str] = mapped_column(String(200))
    source: Mapped[str] = mapped_column(Text, deferred=True)
    source_digest: Mapped[str] = mapped_column(String(64), index=True)
    canonical_digest: Mapped[str] = mapped_column(String(64))
    line_count: Mapped[int]
    idempotency_key: Mapped[str | None] = mapped_column(String(100))
    created_at: Mapped[datetime] = mapped_column(default=utc_now)
    board: Mapped[Board] = relationship(lazy="joined")
    user: Mapped[User] = relationship(lazy="joined")
    runs: Mapped[list[Run]] = relationship(back_populates="submission", order_by="Run.id")

    @property
    def own_runs(self) -> list[Run]:
        """The runs that its author asked for."""
        return [run for run in self.runs if run.reason == RunReason.SUBMITTED]


class Run(Base):
    """A submission judged on one device in one mode.

    `priority` orders the queue, lower first (test 0, benchmark and profile 10, ranked 20, confirmation 25, rejudge 30).
    The score columns repeat what `report` says, so that ranking is a query. A run that is `set_aside` claimed a record
    that a fresh run did not confirm: it was picked for its figures, and does not count.
    """

    __tablename__ = "runs"
    __table_args__ = (
        Index("ix_runs_queue", "device", "state", "priority", "id"),
        Index("ix_runs_standing", "board_id", "mode", "verdict", "decision"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.id"), index=True)
    board_id: Mapped[int] = mapped_column(ForeignKey("boards.id"))
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    device: Mapped[str] = mapped_column(String(40))
    mode: Mapped[Mode] = mapped_column(stored_enum(Mode))
    state: Mapped[RunState] = mapped_column(stored_enum(RunState), default=RunState.QUEUED)
    reason: Mapped[RunReason] = mapped_column(stored_enum(RunReason), default=RunReason.SUBMITTED)
    priority: Mapped[int]
    nonce: Mapped[str] = mapped_column(String(64))
    attempt_count: Mapped[int] = mapped_column(default=0)
    cancel_requested: Mapped[bool] = mapped_column(default=False)
    queued_at: Mapped[datetime] = mapped_column(default=utc_now)
    started_at: Mapped[datetime | None]
    judged_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    verdict: Mapped[Verdict | None] = mapped_column(stored_enum(Verdict))
    decision: Mapped[DecisionOutcome | None] = mapped_column(stored_enum(DecisionOutcome))
    message: Mapped[str] = mapped_column(Text, default="")
    log_ratio: Mapped[float | None] = mapped_column(Float)
    low: Mapped[float | None] = mapped_column(Float)
    high: Mapped[float | None] = mapped_column(Float)
    seconds: Mapped[float | None] = mapped_column(Float)
    noisy: Mapped[bool] = mapped_column(default=False)
    pairs: Mapped[int] = mapped_column(default=0)
    floor_share: Mapped[float | None] = mapped_column(Float)
    set_aside: Mapped[bool] = mapped_column(default=False)
    report: Mapped[dict[str, Any] | None] = mapped_column(JSON, deferred=True)
    submission: Mapped[Submission] = relationship(back_populates="runs", lazy="joined")
    findings: Mapped[list[Finding]] = relationship(order_by="Finding.id")
    decisions: Mapped[list[Decision]] = relationship(order_by="Decision.id")


class Attempt(Base):
    """One try at a run. Whoever holds its token may fetch the run's source and nonce and report once."""

    __tablename__ = "attempts"
    __table_args__ = (UniqueConstraint("run_id", "number"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id"), index=True)
    number: Mapped[int]
    state: Mapped[AttemptState] = mapped_column(stored_enum(AttemptState), default=AttemptState.SENT, index=True)
    token_digest: Mapped[str] = mapped_column(String(64))
    runner: Mapped[str] = mapped_column(String(100), default="")
    created_at: Mapped[datetime] = mapped_column(default=utc_now)
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    lease_expires_at: Mapped[datetime] = mapped_column(index=True)
    reason: Mapped[str] = mapped_column(Text, default="")
    run: Mapped[Run] = relationship(lazy="joined")


class SubmissionEvent(Base):
    """What happened to a submission, in order; `id` is the cursor of the event stream (`Last-Event-ID`)."""

    __tablename__ = "submission_events"
    __table_args__ = (Index("ix_submission_events_stream", "submission_id", "id"),)
    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.id"))
    kind: Mapped[str] = mapped_column(String(40))
    data: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(default=utc_now)


class Finding(Base):
    """What the guard saw in a run's source or evidence. `line` and `column` count from 1; 0 is the whole."""

    __tablename__ = "findings"
    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id"), index=True)
    rule: Mapped[str] = mapped_column(String(100))
    version: Mapped[int]
    family: Mapped[str] = mapped_column(String(8))
    effect: Mapped[str] = mapped_column(String(10))
    message: Mapped[str] = mapped_column(Text)
    advice: Mapped[str] = mapped_column(Text, default="")
    line: Mapped[int] = mapped_column(default=0)
    column: Mapped[int] = mapped_column(default=0)
    excerpt: Mapped[str] = mapped_column(Text, default="")


class Decision(Base):
    """A decision on a run, kept for ever; the newest holds. `by` is null for the guard itself."""

    __tablename__ = "decisions"
    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id"), index=True)
    outcome: Mapped[DecisionOutcome] = mapped_column(stored_enum(DecisionOutcome))
    reason: Mapped[str] = mapped_column(Text)
    by: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    created_at: Mapped[datetime] = mapped_column(default=utc_now)


class Record(Base):
    """A kernel (one source of one author) that took a board's record; the newest whose runs still count holds it."""

    __tablename__ = "records"
    id: Mapped[int] = mapped_column(primary_key=True)
    board_id: Mapped[int] = mapped_column(ForeignKey("boards.id"), index=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    canonical_digest: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime] = mapped_column(default=utc_now)


class Claim(Base):
    """A kernel that would surely beat `record_id`, and the fresh run, `confirming_id`, that has to agree first.

    `earlier` claims of the same author on that record make this one harder. The figures are those of the moment when
    the claim arose.
    """

    __tablename__ = "claims"
    __table_args__ = (UniqueConstraint("record_id", "user_id", "canonical_digest"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    record_id: Mapped[int] = mapped_column(ForeignKey("records.id"))
    board_id: Mapped[int] = mapped_column(ForeignKey("boards.id"), index=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    canonical_digest: Mapped[str] = mapped_column(String(64))
    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id"), index=True)
    confirming_id: Mapped[int] = mapped_column(ForeignKey("runs.id"), unique=True)
    state: Mapped[ClaimState] = mapped_column(stored_enum(ClaimState), default=ClaimState.OPEN, index=True)
    earlier: Mapped[int]
    log_ratio: Mapped[float] = mapped_column(Float)
    low: Mapped[float] = mapped_column(Float)
    high: Mapped[float] = mapped_column(Float)
    record_log_ratio: Mapped[float] = mapped_column(Float)
    record_low: Mapped[float] = mapped_column(Float)
    record_high: Mapped[float] = mapped_column(Float)
    created_at: Mapped[datetime] = mapped_column(default=utc_now)
    decided_at: Mapped[datetime | None]
    record: Mapped[Record] = relationship()
    run: Mapped[Run] = relationship(foreign_keys=[run_id])
    confirming: Mapped[Run] = relationship(foreign_keys=[confirming_id])


class RunnerHost(Base):
    """A runner process that has said it is there. It is live while `seen_at` is recent (settings)."""

    __tablename__ = "runner_hosts"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(100), unique=True)
    device: Mapped[str] = mapped_column(String(40), index=True)
    slots: Mapped[int] = mapped_column(default=1)
    level: Mapped[dict[str, Any]]
    environment: Mapped[dict[str, Any]]
    seen_at: Mapped[datetime] = mapped_column(default=utc_now)
