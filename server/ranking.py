"""The ranking: one function, used by pages, API, bot and export.

A row is an author's best kernel: of all sources with ranked runs that `passed` and are `clean`, the one with the least
log-ratio, where the runs of one source (comments and white space aside) are pooled: submitting it again narrows its
interval instead of drawing again. Author i is surely better than j if the intervals of their log-ratios do not touch
(high_i < low_j) and the estimates differ by at least ln 1.005. A rank is an interval: from one more than the number of
surely better rows, to the number of rows that are not surely worse. Where statistics cannot tell rows apart the kernel
that was submitted first stands first, so a newcomer must surely win to take a place (NUMERICS, 3.5 and 3.6).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, case, func, select
from sqlalchemy.orm import Session

from runners.protocol import Mode, Verdict
from server.models import Board, DecisionOutcome, Run, RunState, Submission, User
from server.pooling import Interval, Measured, mean, pool, shares
from server.schemas import Standing

LEAST_DIFFERENCE = math.log(1.005)


@dataclass(frozen=True)
class RankedRun(Measured):
    """A run that counts, as the database has it."""

    seconds: float
    noisy: bool
    floor_share: float | None
    run_id: int
    submission_id: int
    file_name: str
    lines: int
    submitted_at: datetime
    author: str


@dataclass(frozen=True)
class Kernel(Interval):
    """One source of one author: its pooled score, and its runs, the first one first."""

    runs: tuple[RankedRun, ...]


def rank_intervals(scores: Sequence[Interval]) -> list[tuple[int, int]]:
    """(rank_low, rank_high) of each score, in the order given. O(n log n) comparisons."""
    count = len(scores)
    order = sorted(range(count), key=lambda n: scores[n].log_ratio)
    better, worse = [0] * count, [0] * count
    highs: list[float] = []
    reached = 0
    for n in order:
        while reached < count and scores[order[reached]].log_ratio <= scores[n].log_ratio - LEAST_DIFFERENCE:
            insort(highs, scores[order[reached]].high)
            reached += 1
        better[n] = bisect_left(highs, scores[n].low)
    lows: list[float] = []
    reached = count - 1
    for n in reversed(order):
        while reached >= 0 and scores[n].log_ratio <= scores[order[reached]].log_ratio - LEAST_DIFFERENCE:
            insort(lows, scores[order[reached]].low)
            reached -= 1
        worse[n] = len(lows) - bisect_right(lows, scores[n].high)
    return [(1 + better[n], count - worse[n]) for n in range(count)]


def standings(session: Session, board: Board) -> list[Standing]:
    """The rows of `board`, best first."""
    kernels = best_kernels(session, board)
    rows = [_standing(kernel, *ranks) for kernel, ranks in zip(kernels, rank_intervals(kernels), strict=True)]
    return sorted(rows, key=lambda row: (row.rank_low, row.submitted_at, row.submission_id))


def standing_of(session: Session, submission: Submission, rows: Sequence[Standing]) -> Standing | None:
    """The row among `rows` that `submission` is part of: its own, or that of an earlier one of the same source."""
    row = next((row for row in rows if row.author == submission.user.name), None)
    if row is None or row.submission_id == submission.id:
        return row
    first = session.scalar(select(Submission.canonical_digest).where(Submission.id == row.submission_id))
    return row if first == submission.canonical_digest else None


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
        .where(_counts(board))
        .group_by(Run.user_id, Submission.canonical_digest)
        .subquery()
    )
    found: Iterable[Sequence[Any]] = session.execute(
        select(
            Run.log_ratio, Run.low, Run.high, Run.pairs, Run.seconds, Run.noisy, Run.floor_share, Run.id,
            Submission.id, Submission.file_name, Submission.line_count, Submission.created_at, User.name,
        )
        .join(Submission, Submission.id == Run.submission_id)
        .join(
            chosen,
            and_(chosen.c.user_id == Run.user_id, chosen.c.canonical_digest == Submission.canonical_digest),
        )
        .join(User, User.id == Run.user_id)
        .where(chosen.c.place == 1, _counts(board))
        .order_by(Submission.id, Run.id)
    )  # fmt: skip
    by_author: dict[str, list[RankedRun]] = defaultdict(list)
    for row in found:
        run = RankedRun(*row)
        by_author[run.author].append(run)
    return [_kernel(runs) for runs in by_author.values()]


def _counts(board: Board) -> ColumnElement[bool]:
    """Whether a run stands on `board`."""
    return and_(
        Run.board_id == board.id,
        Run.mode == Mode.RANKED,
        Run.state == RunState.FINISHED,
        Run.verdict == Verdict.PASSED,
        Run.decision == DecisionOutcome.CLEAN,
        *(column.is_not(None) for column in (Run.log_ratio, Run.low, Run.high, Run.seconds)),
    )


def _kernel(runs: list[RankedRun]) -> Kernel:
    pooled = pool(runs)
    return Kernel(pooled.log_ratio, pooled.low, pooled.high, tuple(runs))


def _standing(kernel: Kernel, rank_low: int, rank_high: int) -> Standing:
    first = kernel.runs[0]
    weights = shares([run.pairs for run in kernel.runs])
    floors = [run.floor_share for run in kernel.runs if run.floor_share is not None]
    return Standing(
        rank_low=rank_low,
        rank_high=rank_high,
        submission_id=first.submission_id,
        run_id=first.run_id,
        author=first.author,
        file_name=first.file_name,
        speedup=math.exp(-kernel.log_ratio),
        speedup_low=math.exp(-kernel.high),
        speedup_high=math.exp(-kernel.low),
        seconds=mean([run.seconds for run in kernel.runs], weights),
        floor_share=sum(floors) / len(floors) if floors else None,
        noisy=_is_noisy(kernel),
        runs=len(kernel.runs),
        lines=first.lines,
        submitted_at=first.submitted_at,
    )


def _is_noisy(kernel: Kernel) -> bool:
    """Whether its runs were noisy and pooling them did not mend it."""
    wide = kernel.high - kernel.low > 2 * LEAST_DIFFERENCE
    return any(run.noisy for run in kernel.runs) and (wide or len(kernel.runs) == 1)
