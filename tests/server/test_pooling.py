"""Repeating a submission narrows its interval; it does not draw again until luck strikes."""

from __future__ import annotations

import math
import random
from statistics import fmean, stdev

import pytest

from server.pooling import QUANTILE, Measured, pool

ERROR = 0.004


def measured(centre: float, error: float = ERROR, pairs: int = 60) -> Measured:
    return Measured(centre, centre - QUANTILE * error, centre + QUANTILE * error, pairs)


def drawn(rng: random.Random, runs: int, truth: float = 0.0, drift: float = 0.0) -> list[Measured]:
    """Runs of one kernel whose errors are as large as they say, on hosts that differ by `drift`."""
    return [measured(rng.gauss(rng.gauss(truth, drift), ERROR)) for _ in range(runs)]


def test_a_single_run_keeps_its_own_lopsided_interval() -> None:
    found = pool([Measured(-0.5, -0.51, -0.48, 60)])
    assert (found.log_ratio, found.low, found.high) == (-0.5, -0.51, -0.48)


def test_nothing_cannot_be_pooled() -> None:
    with pytest.raises(ValueError, match="nothing"):
        pool([])


def test_runs_that_agree_narrow_the_interval_as_more_pairs_would() -> None:
    found = pool([measured(-0.5)] * 4)
    assert found.log_ratio == pytest.approx(-0.5)
    assert found.high - found.low == pytest.approx(QUANTILE * ERROR)


def test_a_run_weighs_as_many_pairs_as_it_has() -> None:
    found = pool([measured(0.0, pairs=30), measured(0.003, pairs=240)])
    assert found.log_ratio == pytest.approx(0.003 * 240 / 270)


def test_runs_that_disagree_widen_the_interval() -> None:
    near, far = pool([measured(-0.001), measured(0.001)]), pool([measured(-0.1), measured(0.1)])
    assert far.high - far.low > 20 * (near.high - near.low)
    assert far.low < -0.1
    assert far.high > 0.1


def test_the_order_of_runs_does_not_matter_and_the_estimate_lies_between_them() -> None:
    rng = random.Random(5)
    for _ in range(200):
        runs = [
            measured(rng.gauss(0, 0.1), rng.choice((0.0, 1e-4, 0.02)), rng.choice((0, 3, 60, 240)))
            for _ in range(rng.randint(1, 9))
        ]
        found = pool(runs)
        shuffled = pool(rng.sample(runs, len(runs)))
        assert found.log_ratio == pytest.approx(shuffled.log_ratio, abs=1e-12)
        assert found.low <= found.log_ratio <= found.high
        centres = [run.log_ratio for run in runs]
        assert min(centres) - 1e-12 <= found.log_ratio <= max(centres) + 1e-12


def test_the_best_of_twenty_draws_does_not_move_the_estimate_by_luck() -> None:
    rng = random.Random(11)
    pooled, luckiest = [], []
    for _ in range(400):
        runs = drawn(rng, 20)
        pooled.append(pool(runs).log_ratio)
        luckiest.append(min(run.log_ratio for run in runs))
    assert fmean(luckiest) < -1.5 * ERROR
    assert abs(fmean(pooled)) < 0.05 * ERROR
    assert stdev(pooled) == pytest.approx(ERROR / math.sqrt(20), rel=0.15)


@pytest.mark.parametrize("drift", [0.0, ERROR, 5 * ERROR])
def test_the_interval_covers_the_truth_even_where_hosts_differ_by_more_than_a_run_knows(drift: float) -> None:
    rng = random.Random(17)
    trials = 600
    covered = sum(found.low <= 0 <= found.high for found in (pool(drawn(rng, 20, drift=drift)) for _ in range(trials)))
    assert covered / trials > 0.92
