"""The ranking: one function, used by pages, API, bot and export.

A row is the best run of an author that is ranked, `passed` and `clean`. Author i is surely better than j if the intervals of
their log-ratios do not touch (high_i < low_j) and the estimates differ by at least ln 1.005. A rank is an interval: from one
more than the number of surely better rows, to the number of rows that are not surely worse. Where statistics cannot tell
rows apart the earlier submission stands first, so a newcomer must surely win to take a place (NUMERICS, 3.5 and 3.6).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session, aliased

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
    place = func.row_number().over(partition_by=Run.user_id, order_by=(Run.log_ratio, Run.id))
    ranked = (
        select(Run, place.label("place"))
        .where(
            Run.board_id == board.id,
            Run.mode == Mode.RANKED,
            Run.state == RunState.FINISHED,
            Run.verdict == Verdict.PASSED,
            Run.decision == DecisionOutcome.CLEAN,
            Run.log_ratio.is_not(None),
            Run.low.is_not(None),
            Run.high.is_not(None),
        )
        .subquery()
    )
    best = aliased(Run, ranked)
    found = session.execute(
        select(
            best.id, best.log_ratio, best.low, best.high, best.seconds, best.noisy, best.floor_share,
            Submission.id, Submission.file_name, Submission.line_count, Submission.created_at, User.name,
        )
        .join(Submission, Submission.id == best.submission_id)
        .join(User, User.id == best.user_id)
        .where(ranked.c.place == 1)
    ).all()  # fmt: skip
    ranks = rank_intervals([Interval(row[1], row[2], row[3]) for row in found])
    rows = [
        Standing(
            rank_low=rank_low,
            rank_high=rank_high,
            run_id=run_id,
            submission_id=submission_id,
            author=author,
            file_name=file_name,
            speedup=math.exp(-log_ratio),
            speedup_low=math.exp(-high),
            speedup_high=math.exp(-low),
            seconds=seconds,
            floor_share=floor_share,
            noisy=noisy,
            lines=lines,
            submitted_at=created_at,
        )
        for (rank_low, rank_high), (
            run_id, log_ratio, low, high, seconds, noisy, floor_share,
            submission_id, file_name, lines, created_at, author,
        ) in zip(ranks, found, strict=True)
    ]  # fmt: skip
    return sorted(rows, key=lambda row: (row.rank_low, row.submitted_at, row.submission_id))
