"""Cancelling, in every state."""

from __future__ import annotations

from typing import Any

from httpx import Response

from runners.protocol import encode
from server.models import RunState
from tests.server.service import Service, passed


def cancel(service: Service, submission: int, headers: dict[str, str]) -> Response:
    return service.client.post(f"/api/v1/submissions/{submission}/cancel", headers=headers)


def shown(answer: Response) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_a_queued_run_ends_at_once(both: Service) -> None:
    ann = both.author()
    submission = both.submit(ann)
    assert shown(cancel(both, submission, ann))["outcome"] == "cancelled"
    assert both.kinds(submission) == ["queued", "cancelled", "end"]
    both.runner()
    assert both.dispatch() == []
    assert shown(cancel(both, submission, ann))["outcome"] == "cancelled"


def test_a_dispatched_run_ends_when_its_runner_asks_to_start(both: Service) -> None:
    ann = both.author()
    submission = both.submit(ann)
    both.runner()
    (job,) = both.dispatch()
    assert shown(cancel(both, submission, ann))["done"] is False
    refused = both.put(job, "start", {"runner": "r1"})
    assert (refused.status_code, refused.json()["code"]) == (409, "cancelled")
    assert both.run_of(submission).state == RunState.CANCELLED


def test_a_running_run_ends_when_its_runner_has_let_go(both: Service) -> None:
    ann = both.author()
    submission, job = both.started(ann, mode="ranked")
    shown(cancel(both, submission, ann))
    assert both.put(job, "heartbeat").json() == {"cancel": True, "lost": False}
    assert both.put(job, "cancelled").json() == {"recorded": True}
    assert both.put(job, "cancelled").json() == {"recorded": False}
    assert both.run_of(submission).state == RunState.CANCELLED
    assert both.put(job, "report", encode(passed())).json() == {"recorded": False}


def test_a_run_whose_runner_is_gone_ends_with_its_lease(both: Service) -> None:
    ann = both.author()
    submission, _ = both.started(ann)
    shown(cancel(both, submission, ann))
    both.expire_leases()
    both.sweeper().sweep()
    assert both.run_of(submission).state == RunState.CANCELLED
    assert both.kinds(submission)[-2:] == ["cancelled", "end"]


def test_a_report_that_is_faster_than_the_cancellation_counts(both: Service) -> None:
    ann = both.author()
    submission, job = both.started(ann)
    shown(cancel(both, submission, ann))
    assert both.put(job, "report", encode(passed())).json() == {"recorded": True}
    assert both.run_of(submission).state == RunState.JUDGED
    answer = cancel(both, submission, ann)
    assert (answer.status_code, answer.json()["code"]) == (409, "already_judged")


def test_a_finished_run_cannot_be_cancelled(service: Service) -> None:
    ann = service.author()
    submission = service.decided(ann, passed(), "clean")
    answer = cancel(service, submission, ann)
    assert (answer.status_code, answer.json()["code"]) == (409, "already_finished")


def test_nobody_cancels_what_is_anothers(service: Service) -> None:
    submission = service.submit(service.author("ann"))
    answer = cancel(service, submission, service.author("bob"))
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_a_runner_that_lets_go_unasked_costs_a_try_not_the_run(service: Service) -> None:
    submission, job = service.started(service.author())
    assert service.put(job, "cancelled").json() == {"recorded": True}
    assert service.run_of(submission).state == RunState.QUEUED


def test_only_a_started_run_counts_against_the_hour(service: Service) -> None:
    ann = service.author()

    def used() -> int:
        answer = service.post(ann)
        return int(answer.headers["RateLimit-Limit"]) - int(answer.headers["RateLimit-Remaining"])

    queued = service.submit(ann)
    cancel(service, queued, ann)
    assert used() == 1
    service.runner(slots=1)
    (job,) = service.dispatch()
    service.start(job)
    cancel(service, service.run_of(2).submission_id, ann)
    service.put(job, "cancelled")
    assert used() == 2
