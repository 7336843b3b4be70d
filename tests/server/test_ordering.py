"""The order of service: priorities, fairness, and a position that is the truth."""

from __future__ import annotations

from runners.protocol import Mode, Verdict, encode
from server.life.ordering import Waiting, serve_order, start_times
from tests.server.service import Service, failed


def waiting(*items: tuple[int, int, int]) -> list[Waiting]:
    return [Waiting(run, user, priority, Mode.TEST) for run, user, priority in items]


def order(items: list[Waiting], load: dict[int, int] | None = None) -> list[int]:
    return [item.run_id for item in serve_order(items, load or {})]


def test_tests_go_before_benchmarks_before_ranked_before_rejudges() -> None:
    assert order(waiting((1, 1, 30), (2, 1, 20), (3, 1, 10), (4, 1, 0))) == [4, 3, 2, 1]


def test_authors_take_turns() -> None:
    flood = [(number, 1, 20) for number in range(1, 6)]
    assert order(waiting(*flood, (6, 2, 20), (7, 3, 20))) == [1, 6, 7, 2, 3, 4, 5]


def test_who_was_served_lately_waits() -> None:
    assert order(waiting((1, 1, 20), (2, 2, 20)), {1: 1}) == [2, 1]


def test_with_equal_loads_the_oldest_goes_first() -> None:
    assert order(waiting((5, 1, 20), (3, 2, 20)), {1: 2, 2: 2}) == [3, 5]


def test_start_times_follow_the_order_and_the_slots() -> None:
    items = waiting((1, 1, 0), (2, 2, 0), (3, 3, 0))
    seconds = dict.fromkeys(Mode, 10.0)
    assert start_times(items, [], 2, seconds) == {1: 0.0, 2: 0.0, 3: 10.0}
    assert start_times(items, [4.0], 1, seconds) == {1: 4.0, 2: 14.0, 3: 24.0}
    assert start_times(items, [1.0, 2.0, 3.0], 1, seconds)[1] == 3.0
    assert start_times(items, [], 0, seconds) == {}


def test_the_position_shown_is_the_order_of_dispatch(both: Service) -> None:
    authors = {name: both.author(name) for name in ("ann", "bob", "eve")}
    plan = [
        ("ann", "ranked"),
        ("ann", "ranked"),
        ("ann", "test"),
        ("bob", "ranked"),
        ("eve", "benchmark"),
        ("bob", "test"),
    ]
    submissions = {both.submit(authors[name], mode=mode): name for name, mode in plan}
    both.runner(slots=1)
    served = []
    while len(served) < len(plan):
        places = {}
        for number, name in submissions.items():
            run = both.get(number, authors[name])["runs"][0]
            if run["state"] == "queued":
                places[run["position"]] = run["id"]
                assert run["eta_seconds"] is not None
        assert sorted(places) == list(range(1, len(plan) - len(served) + 1))
        (job,) = both.dispatch()
        assert job.run_id == places[1]
        served.append(job.run_id)
        both.start(job)
        both.put(job, "report", encode(failed(Verdict.WRONG)))


def test_without_a_runner_there_is_a_reason_and_no_eta(service: Service) -> None:
    ann = service.author()
    run = service.get(service.submit(ann), ann)["runs"][0]
    assert run["position"] == 1
    assert run["eta_seconds"] is None
    assert "No runner for cpu" in run["waiting_reason"]
    service.runner()
    run = service.get(1, ann)["runs"][0]
    assert (run["eta_seconds"], run["waiting_reason"]) == (0.0, "")
