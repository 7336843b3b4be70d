"""The ranking: who ranks, in which order, and which ranks are shared."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from runners.protocol import Verdict
from server.pooling import Interval
from server.ranking import LEAST_DIFFERENCE, rank_intervals
from tests.server.conftest import make_service
from tests.server.service import SOURCE, Service, failed, passed


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


def test_rank_intervals_hold_every_possible_order() -> None:
    rng = random.Random(9)
    for _ in range(100):
        scores = [
            Interval(value, value - rng.uniform(0, 0.1), value + rng.uniform(0, 0.1))
            for value in (rng.uniform(-0.3, 0.3) for _ in range(rng.randint(1, 30)))
        ]
        found = rank_intervals(scores)
        order = sorted(range(len(scores)), key=lambda n: scores[n].log_ratio)
        for place, n in enumerate(order, start=1):
            assert 1 <= found[n][0] <= place <= found[n][1] <= len(scores)
        shuffled = rng.sample(range(len(scores)), len(scores))
        assert rank_intervals([scores[n] for n in shuffled]) == [found[n] for n in shuffled]


def test_a_wider_interval_never_narrows_a_rank() -> None:
    rng = random.Random(10)
    for _ in range(100):
        scores = [Interval(value, value - 0.01, value + 0.01) for value in (rng.uniform(-0.2, 0.2) for _ in range(12))]
        before = rank_intervals(scores)
        wider = [Interval(scores[0].log_ratio, scores[0].low - 0.05, scores[0].high + 0.05), *scores[1:]]
        after = rank_intervals(wider)
        assert all(new[0] <= old[0] and new[1] >= old[1] for new, old in zip(after, before, strict=True))


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


def other(name: str) -> bytes:
    """The source of another kernel."""
    return SOURCE.replace(b"data", name.encode())


def test_the_best_kernel_of_each_author_counts(both: Service) -> None:
    ann, bob = both.author("ann"), both.author("bob")
    both.decided(ann, passed(-0.2), "clean", source=other("x"))
    best = both.decided(ann, passed(-0.6), "clean", source=other("y"))
    both.decided(ann, passed(-0.4), "clean", source=other("z"))
    both.decided(bob, passed(-0.1), "clean")
    found = rows(both)
    assert [(row["author"], row["rank_low"], row["rank_high"]) for row in found] == [("ann", 1, 1), ("bob", 2, 2)]
    assert found[0]["submission_id"] == best
    assert found[0]["speedup"] == pytest.approx(math.exp(0.6))
    assert found[0]["speedup_low"] < found[0]["speedup"] < found[0]["speedup_high"]  # type: ignore[operator]
    assert found[0]["lines"] == 5
    assert found[0]["runs"] == 1


def test_runs_of_one_source_are_pooled_and_keep_the_place_of_the_first(both: Service) -> None:
    ann, bob = both.author("ann"), both.author("bob")
    first = both.decided(ann, passed(-0.5), "clean")
    both.decided(bob, passed(-0.503), "clean")
    both.decided(ann, passed(-0.506), "clean", source=b"# once more\n" + SOURCE.replace(b"\n\n\n", b"\n"))
    both.decided(ann, passed(-3.0), "review")
    found = rows(both)
    assert [(row["author"], row["rank_low"], row["rank_high"], row["runs"]) for row in found] == [
        ("ann", 1, 2, 2),
        ("bob", 1, 2, 1),
    ]
    assert found[0]["submission_id"] == first
    assert found[0]["speedup"] == pytest.approx(math.exp(0.503))
    pooled = math.log(float(found[0]["speedup_high"]) / float(found[0]["speedup_low"]))  # type: ignore[arg-type]
    assert pooled == pytest.approx(0.02 / math.sqrt(2))


def test_another_authors_runs_of_the_same_source_are_not_pooled(service: Service) -> None:
    service.decided(service.author("ann"), passed(-0.5), "clean")
    service.decided(service.author("bob"), passed(-0.6), "clean")
    assert [(row["author"], row["runs"]) for row in rows(service)] == [("bob", 1), ("ann", 1)]


def test_twenty_tries_of_one_source_do_not_pass_an_equal_kernel(sqlite_url: str, tmp_path: Path) -> None:
    error = 0.004
    rng = random.Random(3)
    draws = [rng.gauss(-0.5, error) for _ in range(20)]
    assert min(draws) < -0.5 - 1.5 * error
    for service in make_service(sqlite_url, tmp_path, submissions_per_hour=100):
        bob, ann = service.author("bob"), service.author("ann")
        service.decided(bob, passed(-0.5, width=1.96 * error), "clean")
        for draw in draws:
            service.decided(ann, passed(draw, width=1.96 * error), "clean")
        found = rows(service)
        assert [(row["author"], row["rank_low"], row["rank_high"]) for row in found] == [
            ("bob", 1, 2),
            ("ann", 1, 2),
        ]
        assert found[1]["runs"] == 20
        assert abs(math.log(float(found[1]["speedup"])) - 0.5) < 3 * error / math.sqrt(20)  # type: ignore[arg-type]


def test_a_lucky_try_does_not_choose_between_an_authors_kernels(service: Service) -> None:
    ann = service.author()
    for draw in (-0.7, -0.3, -0.2):
        service.decided(ann, passed(draw), "clean", source=other("lucky"))
    steady = service.decided(ann, passed(-0.6), "clean", source=other("steady"))
    assert [row["submission_id"] for row in rows(service)] == [steady]


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
