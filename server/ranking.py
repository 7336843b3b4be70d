"""The ranking: one function, used by pages, API, bot and export.

A row is the best run of an author that is ranked, `passed` and `clean`. Author i is surely better than j if the
intervals of their log-ratios do not touch (high_i < low_j) and the estimates differ by at least ln 1.005. A rank is an
interval: from one more than the number of surely better rows, to the number of rows that are not surely worse. Where
statistics cannot tell rows apart the earlier submission stands first, so a newcomer must surely win to take a place
(NUMERICS, 3.5 and 3.6).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from runners.protocol import Mode, Verdict
from server.models import Board, DecisionOutcome, Run, RunState, Submission, User
from server.schemas import Standing

LEAST_DIFFERENCE = math.log(1.005)


@dataclass(frozen=True)
class Interval:
    """A score: the estimate of the log-ratio and its interval. Lower is faster."""

    log_ratio: float
    low: float
    high: float


@dataclass(frozen=True)
class BestRun(Interval):
    """An author's best run, as the database has it."""

    seconds: float
    noisy: bool
    floor_share: float | None
    run_id: int
    submission_id: int
    file_name: str
    lines: int
    submitted_at: datetime
    author: str


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
    runs = best_runs(session, board)
    rows = [_standing(run, *ranks) for run, ranks in zip(runs, rank_intervals(runs), strict=True)]
    return sorted(rows, key=lambda row: (row.rank_low, row.submitted_at, row.submission_id))


def best_runs(session: Session, board: Board) -> list[BestRun]:
    """The best run of every author on `board`, in no order; the earlier of two equal ones."""
    place = func.row_number().over(partition_by=Run.user_id, order_by=(Run.log_ratio, Run.id))
    ranked = (
        select(Run.id, place.label("place"))
        .where(
            Run.board_id == board.id,
            Run.mode == Mode.RANKED,
            Run.state == RunState.FINISHED,
            Run.verdict == Verdict.PASSED,
            Run.decision == DecisionOutcome.CLEAN,
            *(column.is_not(None) for column in (Run.log_ratio, Run.low, Run.high, Run.seconds)),
        )
        .subquery()
    )
    found: Iterable[Sequence[Any]] = session.execute(
        select(
            Run.log_ratio, Run.low, Run.high, Run.seconds, Run.noisy, Run.floor_share, Run.id,
            Submission.id, Submission.file_name, Submission.line_count, Submission.created_at, User.name,
        )
        .join(ranked, ranked.c.id == Run.id)
        .join(Submission, Submission.id == Run.submission_id)
        .join(User, User.id == Run.user_id)
        .where(ranked.c.place == 1)
    )  # fmt: skip
    return [BestRun(*row) for row in found]


def _standing(run: BestRun, rank_low: int, rank_high: int) -> Standing:
    return Standing(
        rank_low=rank_low,
        rank_high=rank_high,
        submission_id=run.submission_id,
        run_id=run.run_id,
        author=run.author,
        file_name=run.file_name,
        speedup=math.exp(-run.log_ratio),
        speedup_low=math.exp(-run.high),
        speedup_high=math.exp(-run.low),
        seconds=run.seconds,
        floor_share=run.floor_share,
        noisy=run.noisy,
        lines=run.lines,
        submitted_at=run.submitted_at,
    )
