"""Boards that demand something of the host: who gets their runs, who does not, and what authors are told."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from runners.protocol import Job, Verdict, encode
from server.life.fitness import requirements_of
from server.models import Attempt, Board, Problem, RunState
from tests.server.service import BOARD, Service, failed

FIT = {"memory": "cgroup-v2", "own_core": "yes", "smt": "no"}
WEAK = {"memory": "none", "own_core": "yes", "smt": "no"}


def demand(service: Service, board: str = BOARD, **requires: Any) -> None:
    with service.sessions() as session:
        row = session.scalar(select(Board).where(Board.name == board))
        row.limits = {**row.limits, "requires": requires}
        session.commit()


def run_of(service: Service, submission: int, headers: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = service.get(submission, headers)["runs"][0]
    return found


def begin(service: Service, job: Job, runner: str) -> int:
    return service.put(job, "start", {"runner": runner}).status_code


def test_a_run_waits_for_a_runner_that_offers_what_its_board_demands(both: Service) -> None:
    demand(both, memory=["cgroup"], own_core=["yes"])
    ann = both.author()
    submission = both.submit(ann)
    both.runner("weak", level=WEAK)
    assert both.dispatch() == []
    run = run_of(both, submission, ann)
    assert "memory: cgroup" in run["waiting_reason"]
    assert "own core" not in run["waiting_reason"]
    assert (run["position"], run["eta_seconds"]) == (1, None)
    both.runner("fit", level=FIT)
    run = run_of(both, submission, ann)
    assert (run["waiting_reason"], run["eta_seconds"]) == ("", 0.0)
    (job,) = both.dispatch()
    assert begin(both, job, "fit") == 200


def test_an_unfit_runner_gets_neither_source_nor_nonce_and_the_run_costs_no_try(both: Service) -> None:
    demand(both, memory=["cgroup"])
    ann = both.author()
    submission = both.submit(ann)
    both.runner("weak", level=WEAK)
    both.runner("fit", level=FIT)
    (job,) = both.dispatch()
    refused = both.put(job, "start", {"runner": "weak"})
    assert (refused.status_code, refused.json()["code"]) == (409, "unfit_runner")
    assert "custom_kernel" not in refused.text
    run = both.run_of(submission)
    assert (run.state, run.attempt_count) == (RunState.QUEUED, 0)
    with both.sessions() as session:
        assert "memory" in session.scalar(select(Attempt.reason))
    assert begin(both, job, "fit") == 409
    (again,) = both.dispatch()
    assert begin(both, again, "fit") == 200
    assert both.run_of(submission).attempt_count == 1


@pytest.mark.parametrize("name", ["nobody", ""])
def test_a_runner_that_never_said_what_it_offers_is_unfit(service: Service, name: str) -> None:
    demand(service, memory=["cgroup"])
    service.submit(service.author())
    service.runner("fit", level=FIT)
    (job,) = service.dispatch()
    assert begin(service, job, name) == 409


def test_a_run_that_waits_for_a_fit_runner_lets_others_pass(both: Service) -> None:
    demand(both, smt=["no"])
    ann = both.author()
    waiting = both.submit(ann)
    free = both.post(ann, board="qr-cpu").json()["id"]
    both.runner("weak", level={**FIT, "smt": "yes"})
    (job,) = both.dispatch()
    assert job.run_id == both.run_of(free).id
    assert both.run_of(waiting).state == RunState.QUEUED


def test_no_more_is_sent_than_fit_runners_can_start(both: Service) -> None:
    demand(both, memory=["cgroup"])
    ann = both.author()
    for _ in range(3):
        both.submit(ann)
    both.runner("weak", slots=5, level=WEAK)
    both.runner("fit", slots=1, level=FIT)
    (job,) = both.dispatch()
    assert both.dispatch() == []
    assert begin(both, job, "fit") == 200
    assert both.dispatch() == []
    both.put(job, "report", encode(failed(Verdict.WRONG)))
    assert len(both.dispatch()) == 1


def test_a_runner_that_is_weaker_after_a_restart_is_not_trusted_for_what_it_was(service: Service) -> None:
    demand(service, memory=["cgroup"])
    service.submit(service.author())
    service.runner("r1", level=FIT)
    (job,) = service.dispatch()
    service.runner("r1", level=WEAK)
    assert begin(service, job, "r1") == 409
    assert service.dispatch() == []


def test_the_board_changes_what_its_problem_demands() -> None:
    problem = Problem(slug="a/b", spec={"limits": {"requires": {"memory": ["cgroup"], "smt": ["no"]}}})
    board = Board(problem=problem, limits={"requires": {"smt": ["yes", "no"], "swap": "no"}})
    assert requirements_of(board) == {"memory": ("cgroup",), "smt": ("yes", "no"), "swap": ("no",)}
    assert requirements_of(Board(problem=Problem(spec={}), limits={})) == {}
