"""A run's score from its timed cases."""

from __future__ import annotations

import math

from runners.judge.statistics import Interval, combine
from runners.protocol import CaseResult, Score


def score_of(ranking_by: str, results: list[CaseResult], intervals: list[Interval]) -> Score:
    """The mean over cases of the log-ratio, with its interval, and one time in seconds as `ranking_by` says.

    `last`, `mean` and `geom` combine the public cases, as clients of the existing format expect.
    """
    whole = combine(intervals)
    timings = [(result, result.timing) for result in results if result.timing is not None]
    public = [timing.seconds for result, timing in timings if not result.hidden]
    if ranking_by == "mean":
        seconds = sum(public) / len(public)
    elif ranking_by == "geom":
        seconds = math.exp(sum(math.log(value) for value in public) / len(public))
    else:
        seconds = public[-1]
    return Score(whole.estimate, whole.low, whole.high, seconds, any(timing.noisy for _, timing in timings))
