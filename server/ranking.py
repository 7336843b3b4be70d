"""The ranking: one function, used by pages, API, bot and export.

A row is an author's best kernel: the one with the least log-ratio, pooled over its runs (:mod:`server.kernels`).
Author i is surely better than j if the intervals of their log-ratios do not touch (high_i < low_j) and the estimates
differ by at least ln 1.005. A rank is an interval: from one more than the number of surely better rows, to the number
of rows that are not surely worse. Where statistics cannot tell rows apart the kernel that was submitted first stands
first, so a newcomer must surely win to take a place (NUMERICS, 3.5 and 3.6).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.kernels import Kernel, best_kernels
from server.models import Board, Submission
from server.pooling import LEAST_DIFFERENCE, Interval, mean, shares
from server.records import awaited, holder, shown_confirmations
from server.schemas import ConfirmationShown, Standing


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
    confirmations = shown_confirmations(session, board)
    record = holder(session, board)
    rows = []
    for kernel, ranks in zip(kernels, rank_intervals(kernels), strict=True):
        confirmation = confirmations.get(kernel.key, "none")
        holds = record is not None and record.key[0] == kernel.key[0] and not awaited(confirmation)
        rows.append(_standing(kernel, *ranks, confirmation, record=holds))
    rows.sort(key=lambda row: (row.rank_low, row.submitted_at, row.submission_id))
    if record is None and rows:
        rows[0].record = True
    return rows


def record_of(session: Session, board: Board) -> Standing | None:
    """The record of `board`: the row of the kernel that holds it, ranked as if it were its author's best."""
    record = holder(session, board)
    if record is None:
        return next(iter(standings(session, board)), None)
    others = [kernel for kernel in best_kernels(session, board) if kernel.key[0] != record.key[0]]
    confirmation = shown_confirmations(session, board).get(record.key, "none")
    return _standing(record, *rank_intervals([record, *others])[0], confirmation, record=True)


def standing_of(session: Session, submission: Submission, rows: Sequence[Standing]) -> Standing | None:
    """The row among `rows` that `submission` is part of: its own, or that of an earlier one of the same source."""
    row = next((row for row in rows if row.author == submission.user.name), None)
    if row is None or row.submission_id == submission.id:
        return row
    first = session.scalar(select(Submission.canonical_digest).where(Submission.id == row.submission_id))
    return row if first == submission.canonical_digest else None


def _standing(
    kernel: Kernel, rank_low: int, rank_high: int, confirmation: ConfirmationShown, *, record: bool
) -> Standing:
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
        record=record,
        confirmation=confirmation,
        lines=first.lines,
        submitted_at=first.submitted_at,
    )


def _is_noisy(kernel: Kernel) -> bool:
    """Whether its runs were noisy and pooling them did not mend it."""
    wide = kernel.high - kernel.low > 2 * LEAST_DIFFERENCE
    return any(run.noisy for run in kernel.runs) and (wide or len(kernel.runs) == 1)
