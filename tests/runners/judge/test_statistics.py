"""The estimate, its interval and the rules for looking."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runners.judge import statistics

values = st.lists(st.floats(-5, 5, allow_nan=False), min_size=1, max_size=40)


@given(values)
def test_hodges_lehmann_is_the_median_of_all_pairwise_means(series: list[float]) -> None:
    means = [(a + b) / 2 for i, a in enumerate(series) for b in series[i:]]
    found = statistics.hodges_lehmann(np.array([series]))
    assert found[0] == pytest.approx(np.median(means), abs=1e-12)


@given(values, st.floats(-3, 3))
def test_hodges_lehmann_moves_with_its_values(series: list[float], shift: float) -> None:
    plain = statistics.hodges_lehmann(np.array([series]))[0]
    moved = statistics.hodges_lehmann(np.array([series]) + shift)[0]
    assert moved == pytest.approx(plain + shift, abs=1e-9)


def test_rows_are_estimated_independently_whatever_the_chunk() -> None:
    rows = np.random.default_rng(1).normal(size=(500, 120))
    whole = statistics.hodges_lehmann(rows)
    single = [statistics.hodges_lehmann(row[None, :])[0] for row in rows[::50]]
    assert whole[::50] == pytest.approx(single)


def test_one_lucky_sample_moves_the_estimate_little() -> None:
    series = np.random.default_rng(2).normal(0, 0.01, size=60)
    lucky = series.copy()
    lucky[0] = -5.0
    shift = statistics.hodges_lehmann(lucky[None, :]) - statistics.hodges_lehmann(series[None, :])
    assert abs(shift[0]) < 0.002


def test_bootstrap_keeps_neighbours_together() -> None:
    series = np.arange(64.0)
    draws = statistics.block_bootstrap(series, np.random.default_rng(3), draws=20)
    assert draws.shape == (20, 64)
    steps = np.diff(draws, axis=1) % 64
    assert (steps == 1).mean() >= 1 - 1 / statistics.block_length(64) - 1e-9


@pytest.mark.parametrize("correlation", [0.0, 0.4])
def test_interval_covers_the_truth_about_as_often_as_it_says(correlation: float) -> None:
    rng = np.random.default_rng(4)
    covered = 0
    trials = 120
    for _ in range(trials):
        noise = rng.normal(0, 0.02, size=61)
        series = noise[1:] + correlation * noise[:-1]
        interval = statistics.estimate(list(series), rng)
        covered += interval.low <= 0.0 <= interval.high
    assert covered / trials > 0.86


def test_the_mean_over_cases_is_tighter_than_its_cases() -> None:
    rng = np.random.default_rng(5)
    cases = [statistics.estimate(list(rng.normal(shift, 0.02, 60)), rng) for shift in (0.1, 0.2, 0.3)]
    whole = statistics.combine(cases)
    assert whole.estimate == pytest.approx(np.mean([case.estimate for case in cases]))
    assert whole.half_width < max(case.half_width for case in cases)


def test_looks_end_early_only_when_the_interval_is_narrow() -> None:
    wide = statistics.Interval(0.0, -0.1, 0.1, np.zeros(1))
    narrow = statistics.Interval(0.0, -0.004, 0.004, np.zeros(1))
    assert not statistics.settled(30, wide)
    assert statistics.settled(30, narrow)
    assert not statistics.settled(31, narrow)
    assert statistics.settled(240, wide)


def test_work_deferred_into_every_fifth_call_is_an_excess() -> None:
    rng = np.random.default_rng(6)
    anchor = list(rng.normal(1.0, 0.02, 60))
    refill = [5.0 if turn % 5 == 4 else 0.1 for turn in range(60)]
    assert statistics.excess(refill, anchor, rng) > 0.05


@pytest.mark.parametrize("seed", range(8))
def test_a_busy_host_makes_no_excess(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bursts = [rng.normal(1.0, 0.02, 40) + (rng.random(40) < 0.1) * rng.exponential(1.0, 40) for _ in range(2)]
    assert statistics.excess(list(bursts[0]), list(bursts[1]), rng) < 0.05
