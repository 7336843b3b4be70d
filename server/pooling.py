"""Several measurements of one kernel as one: what a repeated submission adds to its author's score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

CONFIDENCE = 0.95
QUANTILE = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)

LEAST_DIFFERENCE = math.log(1.005)
"""Kernels nearer to each other than this, as log-ratios, are equal, however narrow their intervals."""

LEAST_ERROR = 1e-5
"""No run knows its log-ratio better than this: keeps a run whose interval has no width from outweighing others."""


@dataclass(frozen=True)
class Interval:
    """A score: the estimate of the log-ratio and its interval. Lower is faster."""

    log_ratio: float
    low: float
    high: float


def surely_beats(one: Interval, other: Interval) -> bool:
    """Whether `one` is faster by 0.5 % at least, and their intervals do not touch."""
    return one.high < other.low and other.log_ratio - one.log_ratio >= LEAST_DIFFERENCE


@dataclass(frozen=True)
class Measured(Interval):
    """What one run found, from so many pairs."""

    pairs: int

    @property
    def error(self) -> float:
        """The standard error that the width of the 95 % interval stands for."""
        return max((self.high - self.low) / (2 * QUANTILE), LEAST_ERROR)


def pool(runs: Sequence[Measured]) -> Interval:
    """One estimate and 95 % interval from all `runs` of a kernel; a single run's are its own.

    With x the runs' log-ratios, s their standard errors and w their shares of all pairs, the estimate is Σ w x, and its
    variance Σ w² s² times the scale factor S² = max(1, Σ ((x - Σ w x) / s)² / (k - 1)): k runs that agree within their
    errors narrow the interval as k times the pairs would; runs that do not agree show that their errors were too small
    (another host, another day), and the interval widens by as much. (R. T. Birge, Physical Review 40 (1932) 207; the
    scale factor of the Particle Data Group's averages, Review of Particle Physics, Introduction, section 5.)

    No run is picked for its result: luck is averaged away, and every try takes more of it away. Raises ValueError
    without runs.
    """
    if not runs:
        raise ValueError("there is nothing to pool")
    if len(runs) == 1:
        return Interval(runs[0].log_ratio, runs[0].low, runs[0].high)
    weights = shares([run.pairs for run in runs])
    centre = mean([run.log_ratio for run in runs], weights)
    variance = sum((weight * run.error) ** 2 for run, weight in zip(runs, weights, strict=True))
    scatter = sum(((run.log_ratio - centre) / run.error) ** 2 for run in runs) / (len(runs) - 1)
    half_width = QUANTILE * math.sqrt(variance * max(1.0, scatter))
    return Interval(centre, centre - half_width, centre + half_width)


def shares(pairs: Sequence[int]) -> list[float]:
    """Each run's share of all pairs; a run of which no pairs are known counts as one."""
    counts = [max(1, count) for count in pairs]
    return [count / sum(counts) for count in counts]


def mean(values: Sequence[float], weights: Sequence[float]) -> float:
    """The mean of `values` with `weights`, which add up to one."""
    return math.fsum(value * weight for value, weight in zip(values, weights, strict=True))
