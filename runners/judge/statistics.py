"""Statistics of paired samples: the estimate, its interval, and when to stop looking.

Pairs are natural logarithms of contestant/anchor. Measured on shared machines, the Hodges-Lehmann estimate of
interleaved single pairs spreads an eighth to a fortieth of what means of separate batches do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LOOKS = (30, 60, 120, 240)
HALF_WIDTH_AIM = 0.005
BOOTSTRAPS = 1000
CONFIDENCE = 0.95
_CHUNK_ELEMENTS = 4_000_000

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval, on the log scale; `draws` are its bootstrap replicates."""

    estimate: float
    low: float
    high: float
    draws: Floats

    @property
    def half_width(self) -> float:
        """Half the interval's width."""
        return (self.high - self.low) / 2


def hodges_lehmann(values: Floats) -> Floats:
    """The Hodges-Lehmann location of each row: the median of all pairwise means, each value with itself included.

    Hodges and Lehmann, Annals of Mathematical Statistics 34 (1963). `values` is [rows, n]; the result is [rows].
    """
    rows, count = values.shape
    first, second = np.triu_indices(count)
    step = max(1, _CHUNK_ELEMENTS // len(first))
    parts = [
        np.median((values[start : start + step][:, first] + values[start : start + step][:, second]) / 2, axis=1)
        for start in range(0, rows, step)
    ]
    return np.concatenate(parts)


def block_length(count: int) -> int:
    """Length of a bootstrap block, about n^(1/3) (Hall, Horowitz and Jing 1995): neighbours are correlated."""
    return max(1, round(math.pow(count, 1 / 3)))


def block_bootstrap(values: Floats, rng: np.random.Generator, draws: int = BOOTSTRAPS) -> Floats:
    """Resamples of a series in circular blocks (Politis and Romano 1992). [n] to [draws, n]."""
    count = len(values)
    length = block_length(count)
    blocks = -(-count // length)
    starts = rng.integers(0, count, size=(draws, blocks, 1))
    index = (starts + np.arange(length)) % count
    resampled: Floats = values[index.reshape(draws, -1)[:, :count]]
    return resampled


def estimate(log_ratios: list[float], rng: np.random.Generator) -> Interval:
    """The Hodges-Lehmann estimate of a case's paired log-ratios with its block-bootstrap interval."""
    values = np.asarray(log_ratios, dtype=np.float64)
    centre = float(hodges_lehmann(values[None, :])[0])
    draws = hodges_lehmann(block_bootstrap(values, rng))
    return _interval(centre, centre + (draws - centre) * _inflation(len(values)))


def combine(cases: list[Interval]) -> Interval:
    """The mean over cases, with the interval of that mean: cases are measured independently."""
    centre = float(np.mean([case.estimate for case in cases]))
    return _interval(centre, np.mean([case.draws for case in cases], axis=0))


def excess(series: list[float], anchor: list[float], rng: np.random.Generator) -> float:
    """How far a series' mean lies above its centre, beyond the anchor's, at least (95 % one-sided), as a share.

    Work deferred into a few slow calls hides from the robust centre and shows here; a busy host, which makes the
    calls of both uneven, does not. Both series are resampled by the same blocks.
    """
    both = np.stack([np.asarray(series, dtype=np.float64), np.asarray(anchor, dtype=np.float64)])
    ratios = both / hodges_lehmann(both)[:, None]
    index = block_bootstrap(np.arange(len(series), dtype=np.float64), rng).astype(np.intp)
    difference = ratios[0][index].mean(axis=1) - ratios[1][index].mean(axis=1)
    return max(0.0, float(np.quantile(difference, 1 - CONFIDENCE)))


def settled(pairs: int, interval: Interval) -> bool:
    """Whether the interval is narrow enough at one of the looks, or the last look is reached."""
    return pairs >= LOOKS[-1] or (pairs in LOOKS and interval.half_width <= HALF_WIDTH_AIM)


def _inflation(count: int) -> float:
    """What the bootstrap of few values must be widened by: Student's t beside the normal quantile, and the degree of
    freedom that resampling loses. The quantile of t by Cornish and Fisher's expansion (Abramowitz and Stegun 26.7.5).
    """
    freedom = max(1, count - 1)
    z = 1.959964
    t = z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    return t / z * math.sqrt(count / freedom)


def _interval(centre: float, draws: Floats) -> Interval:
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    return Interval(centre, min(float(low), centre), max(float(high), centre), draws)
