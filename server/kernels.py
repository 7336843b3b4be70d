"""The kernels of a board: each source of each author, with its runs pooled.

The runs of one source (comments and white space aside) by one author are pooled: submitting it again narrows its
interval instead of drawing again. Only ranked runs that `passed`, are `clean` and were not set aside count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, func, select
from sqlalchemy.orm import Session

from runners.protocol import Mode, Verdict
from server.models import Board, DecisionOutcome, Run, RunState, Submission, User
from server.pooling import Interval, Measured, pool


@dataclass(frozen=True)
class RankedRun(Measured):
    """A run that counts, as the database has it."""

    seconds: float
    noisy: bool
    floor_share: float | None
    run_id: int
    submission_id: int
    canonical_digest: str
    file_name: str
    lines: int
    submitted_at: datetime
    user_id: int
    author: str


@dataclass(frozen=True)
class Kernel(Interval):
    """One source of one author: its pooled score, and its runs, the first one first."""

    runs: tuple[RankedRun, ...]

    @property
    def key(self) -> tuple[int, str]:
        """What tells kernels of a board apart: the author's id and the digest of the source."""
        return self.runs[0].user_id, self.runs[0].canonical_digest


def best_kernels(session: Session, board: Board) -> list[Kernel]:
    """The best kernel of every author on `board`, in no order; the earlier of two equal ones.

    The database chooses by the pooled estimate, so that only the runs of the chosen kernels are read.
    """
    weight = case((Run.pairs > 0, Run.pairs), else_=1)
    estimate = func.sum(Run.log_ratio * weight) / func.sum(weight)
    place = func.row_number().over(partition_by=Run.user_id, order_by=(estimate, func.min(Run.id)))
    chosen = (
        select(Run.user_id, Submission.canonical_digest, place.label("place"))
        .join(Submission, Submission.id == Run.submission_id)
        .where(counts(board))
        .group_by(Run.user_id, Submission.canonical_digest)
        .subquery()
    )
    found: Iterable[Sequence[Any]] = session.execute(
        _ranked_runs(board)
        .join(
            chosen,
            and_(chosen.c.user_id == Run.user_id, chosen.c.canonical_digest == Submission.canonical_digest),
        )
        .where(chosen.c.place == 1)
    )
    by_author: dict[str, list[RankedRun]] = defaultdict(list)
    for row in found:
        run = RankedRun(*row)
        by_author[run.author].append(run)
    return [_kernel(runs) for runs in by_author.values()]


def find_kernel(session: Session, board: Board, user_id: int, canonical_digest: str) -> Kernel | None:
    """The kernel with this key, if it has runs that count on `board`."""
    rows: Iterable[Sequence[Any]] = session.execute(
        _ranked_runs(board).where(Run.user_id == user_id, Submission.canonical_digest == canonical_digest)
    )
    runs = [RankedRun(*row) for row in rows]
    return _kernel(runs) if runs else None


def counts(board: Board) -> ColumnElement[bool]:
    """Whether a run stands on `board`."""
    return and_(
        Run.board_id == board.id,
        Run.mode == Mode.RANKED,
        Run.state == RunState.FINISHED,
        Run.verdict == Verdict.PASSED,
        Run.decision == DecisionOutcome.CLEAN,
        Run.set_aside.is_(False),
        *(column.is_not(None) for column in (Run.log_ratio, Run.low, Run.high, Run.seconds)),
    )


def _ranked_runs(board: Board) -> Select[*tuple[Any, ...]]:
    """The runs that count, as the fields of :class:`RankedRun`, the first one first."""
    return (
        select(
            Run.log_ratio, Run.low, Run.high, Run.pairs, Run.seconds, Run.noisy, Run.floor_share, Run.id,
            Submission.id, Submission.canonical_digest, Submission.file_name, Submission.line_count,
            Submission.created_at, User.id, User.name,
        )
        .join(Submission, Submission.id == Run.submission_id)
        .join(User, User.id == Run.user_id)
        .where(counts(board))
        .order_by(Submission.id, Run.id)
    )  # fmt: skip


def _kernel(runs: list[RankedRun]) -> Kernel:
    pooled = pool(runs)
    return Kernel(pooled.log_ratio, pooled.low, pooled.high, tuple(runs))
