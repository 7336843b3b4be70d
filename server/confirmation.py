"""When a record stands: the rule by which a fresh run confirms a claim, or does not.

A row that would surely beat the record claims it. It was picked for its figures, perhaps as the best of many variants,
so neither they nor a mean with them prove anything: half of the luck of one draw stays in the mean of two. The fresh
run was not picked. It alone must beat the record, and it alone counts from then on if it does not; if it does, both are
pooled. A lucky draw thus wins a record only if luck strikes a second time, on demand.

Whoever claims again and again with new variants asks luck to do so again and again: the k-th claim of an author on one
record is judged at 5 % / 2^(k-1) two-sided. A kernel that is no faster passes one side of that, so all claims of an
author together, however many, pass with no more than 2.5 % + 1.25 % + … = 5 % (alpha spending: K. K. G. Lan and
D. L. DeMets, Biometrika 70 (1983) 659).
"""

from __future__ import annotations

import math
from statistics import NormalDist

from server.pooling import CONFIDENCE, LEAST_DIFFERENCE, QUANTILE, Interval

HARDEST = 40
"""Claims after this many are judged like this one: further halving leaves no figures to tell 1 from."""


def strictness(earlier: int) -> float:
    """By how much the interval of a difference is widened for a claim that follows `earlier` ones."""
    level = (1 - CONFIDENCE) / 2 ** min(earlier, HARDEST)
    return NormalDist().inv_cdf(1 - level / 2) / QUANTILE


def is_confirmed(fresh: Interval, record: Interval, earlier: int) -> bool:
    """Whether the fresh run by itself is faster than the record by at least 0.5 %, and significantly so."""
    gain = record.log_ratio - fresh.log_ratio
    half_width = math.hypot(fresh.high - fresh.log_ratio, record.log_ratio - record.low)
    return gain >= LEAST_DIFFERENCE and gain > half_width * strictness(earlier)


def is_slower(fresh: Interval, claimed: Interval) -> bool:
    """Whether the fresh run is significantly slower than what was claimed: more than chance, something to look at."""
    loss = fresh.log_ratio - claimed.log_ratio
    return loss > math.hypot(fresh.log_ratio - fresh.low, claimed.high - claimed.log_ratio)
