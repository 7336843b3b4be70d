"""The ranking: who ranks, in which order, and which ranks are shared."""

from __future__ import annotations

import math
import random

import pytest

from runners.protocol import Verdict
from server.ranking import LEAST_DIFFERENCE, Interval, rank_intervals
from tests.server.service import Service, failed, passed


def direct(scores: list[Interval]) -> list[tuple[int, int]]:
    """The definition, word for word."""

    def better(i: Interval, j: Interval) -> bool:
        return i.high < j.low and j.log_ratio - i.log_ratio >= LEAST_DIFFERENCE

    return [
        (1 + sum(better(other, one) for other in scores), len(scores) - sum(better(one, other) for other in scores))
        for one in scores
    ]


def test_the_fast_way_gives_what_the_definition_gives() -> None:
    random.seed(7)
    for size in (0, 1, 2, 3, 10, 80):
        for width in (0.0, 0.001, 0.05, 1.0):
            scores = []
            for _ in range(size):
                value = random.uniform(-1, 1)
                scores.append(Interval(value, value - random.uniform(0, width), value + random.uniform(0, width)))
            assert rank_intervals(scores) == direct(scores)


def test_equal_scores_share_all_ranks() -> None:
    assert rank_intervals([Interval(0.0, 0.0, 0.0)] * 3) == [(1, 3)] * 3


def test_half_a_percent_is_needed_however_narrow_the_intervals() -> None:
    near, far = math.log(1.004), math.log(1.006)
    assert rank_intervals([Interval(0, 0, 0), Interval(near, near, near)]) == [(1, 2), (1, 2)]
    assert rank_intervals([Interval(0, 0, 0), Interval(far, far, far)]) == [(1, 1), (2, 2)]


def rows(service: Service) -> list[dict[str, object]]:
    found: list[dict[str, object]] = service.client.get("/api/v1/boards/vector_mean-cpu/rows").json()["rows"]
    return found


def test_only_passed_and_clean_ranked_runs_stand_on_the_board(both: Service) -> None:
    names = ["clean", "review", "rejected", "wrong", "benchmark", "undecided"]
    authors = {name: both.author(name) for name in names}
    both.decided(authors["clean"], passed(), "clean")
    both.decided(authors["review"], passed(), "review")
    both.decided(authors["rejected"], passed(), "rejected")
    both.decided(authors["wrong"], failed(Verdict.WRONG), "clean")
    both.decided(authors["benchmark"], passed(), "clean", mode="benchmark")
    both.judged(authors["undecided"], passed())
    assert [row["author"] for row in rows(both)] == ["clean"]
    board = both.client.get("/api/v1/boards/vector_mean-cpu").json()
    assert board["entries"] == 1


def test_the_best_run_of_each_author_counts(both: Service) -> None:
    ann, bob = both.author("ann"), both.author("bob")
    both.decided(ann, passed(-0.2), "clean")
    best = both.decided(ann, passed(-0.6), "clean")
    both.decided(ann, passed(-0.4), "clean")
    both.decided(bob, passed(-0.1), "clean")
    found = rows(both)
    assert [(row["author"], row["rank_low"], row["rank_high"]) for row in found] == [("ann", 1, 1), ("bob", 2, 2)]
    assert found[0]["submission_id"] == best
    assert found[0]["speedup"] == pytest.approx(math.exp(0.6))
    assert found[0]["speedup_low"] < found[0]["speedup"] < found[0]["speedup_high"]  # type: ignore[operator]
    assert found[0]["lines"] == 5


def test_within_a_tie_the_earlier_submission_stands_first(both: Service) -> None:
    ann, bob, eve = both.author("ann"), both.author("bob"), both.author("eve")
    both.decided(ann, passed(-0.5, width=0.05), "clean")
    both.decided(bob, passed(-0.51, width=0.05), "clean")
    both.decided(eve, passed(0.5, width=0.05), "clean")
    assert [(row["author"], row["rank_low"], row["rank_high"]) for row in rows(both)] == [
        ("ann", 1, 2),
        ("bob", 1, 2),
        ("eve", 3, 3),
    ]


def test_the_floor_share_is_the_mean_over_timed_cases(service: Service) -> None:
    service.decided(service.author(), passed(), "clean")
    assert rows(service)[0]["floor_share"] == pytest.approx(0.25)
