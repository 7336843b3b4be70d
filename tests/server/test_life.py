"""The life of a submission, on both databases: exactly one verdict, whatever dies on the way."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import select, update

from runners.protocol import Verdict, encode
from server.auth import digest_of
from server.life.dispatch import dispatch_all
from server.models import Attempt, AttemptState, Run, RunState, utc_now
from tests.server.service import SOURCE, Service, failed, passed


def test_a_clean_ranked_run_goes_from_queue_to_board(both: Service) -> None:
    ann = both.author()
    submission = both.submit(ann, mode="ranked")
    assert both.get(submission, ann)["outcome"] == "queued"
    assert both.dispatch() == []
    both.runner()
    (job,) = both.dispatch()
    assert job.is_signed_by(both.settings.runner_key.encode())
    brief = both.start(job)
    assert brief["source"].encode() == SOURCE
    assert len(brief["nonce"]) == 64
    assert brief["hidden"]
    assert all(case["hidden"] for case in brief["hidden"])
    assert both.get(submission, ann)["outcome"] == "running"
    assert both.put(job, "report", encode(passed())).json() == {"recorded": True}
    seen = both.get(submission, ann)
    assert (seen["outcome"], seen["done"]) == ("judged", False)
    assert both.client.get("/api/v1/boards/vector_mean-cpu/rows").json()["rows"] == []


def test_the_job_carries_no_source_and_no_nonce(service: Service) -> None:
    service.submit(service.author())
    service.runner()
    (job,) = service.dispatch()
    text = str(encode(job))
    assert "custom_kernel" not in text
    assert service.run_of(1).nonce not in text


def test_test_runs_get_no_hidden_cases(service: Service) -> None:
    service.submit(service.author())
    service.runner()
    (job,) = service.dispatch()
    assert service.start(job)["hidden"] == []


def test_no_more_is_sent_than_slots_are_free(both: Service) -> None:
    ann = both.author()
    for _ in range(4):
        both.submit(ann)
    both.runner("r1", slots=1)
    both.runner("r2", slots=1)
    assert len(both.dispatch()) == 2
    assert both.dispatch() == []
    both.start(both.sent[0])
    both.put(both.sent[0], "report", encode(failed(Verdict.WRONG)))
    assert len(both.dispatch()) == 1


def test_runners_of_other_devices_and_silent_runners_get_nothing(service: Service) -> None:
    service.submit(service.author())
    service.runner("gpu", device="h100")
    assert service.dispatch() == []
    service.runner("cpu")
    service.silence_runners()
    assert service.dispatch() == []


def test_an_attempt_starts_once(both: Service) -> None:
    both.submit(both.author())
    both.runner()
    (job,) = both.dispatch()
    both.start(job)
    again = both.put(job, "start", {"runner": "r2"})
    assert (again.status_code, again.json()["code"]) == (409, "attempt_over")


def test_a_report_counts_once(both: Service) -> None:
    ann = both.author()
    submission, job = both.started(ann)
    assert both.put(job, "report", encode(failed(Verdict.WRONG, "first"))).json() == {"recorded": True}
    assert both.put(job, "report", encode(passed())).json() == {"recorded": False}
    run = both.run_of(submission)
    assert (run.verdict, run.message) == (Verdict.WRONG, "first")
    assert both.kinds(submission).count("verdict") == 1


def test_a_report_before_the_start_changes_nothing(service: Service) -> None:
    submission = service.submit(service.author())
    service.runner()
    (job,) = service.dispatch()
    assert service.put(job, "report", encode(passed())).json() == {"recorded": False}
    assert service.run_of(submission).state == RunState.DISPATCHED


def test_a_lost_attempt_is_tried_again_and_its_late_report_is_fenced_off(both: Service) -> None:
    ann = both.author()
    submission, first = both.started(ann)
    nonce = both.run_of(submission).nonce
    both.expire_leases()
    assert both.sweeper().expired_leases()
    assert not both.sweeper().expired_leases()
    run = both.run_of(submission)
    assert (run.state, run.attempt_count) == (RunState.QUEUED, 1)
    assert run.nonce != nonce
    assert both.put(first, "report", encode(passed())).json() == {"recorded": False}
    assert both.put(first, "heartbeat").json() == {"cancel": False, "lost": True}
    (second,) = both.dispatch()
    both.start(second)
    assert both.put(first, "report", encode(passed())).json() == {"recorded": False}
    assert both.put(second, "report", encode(failed(Verdict.WRONG))).json() == {"recorded": True}
    assert both.run_of(submission).verdict == Verdict.WRONG


def test_a_heartbeat_keeps_the_lease(both: Service) -> None:
    _, job = both.started(both.author())
    both.expire_leases()
    assert both.put(job, "heartbeat").json() == {"cancel": False, "lost": False}
    assert not both.sweeper().expired_leases()


def test_three_lost_attempts_are_our_fault(both: Service) -> None:
    ann = both.author()
    submission = both.submit(ann)
    both.runner()
    for _ in range(3):
        (job,) = both.dispatch()
        both.start(job)
        both.expire_leases()
        both.sweeper().expired_leases()
    seen = both.get(submission, ann)
    assert (seen["outcome"], seen["done"], seen["runs"][0]["fault"]) == ("judge_fault", True, "ours")
    assert both.kinds(submission)[-2:] == ["verdict", "end"]
    assert both.dispatch() == []


def test_jobs_that_no_runner_ever_took_are_no_tries(both: Service) -> None:
    ann = both.author()
    submission = both.submit(ann)
    both.runner()
    for _ in range(5):
        assert len(both.dispatch()) == 1
        both.expire_leases()
        both.sweeper().expired_leases()
    assert both.get(submission, ann)["outcome"] == "queued"
    (job,) = both.dispatch()
    both.start(job)
    both.put(job, "report", encode(passed()))
    assert both.get(submission, ann)["outcome"] == "passed"


def test_three_judge_faults_are_our_fault_and_their_detail_stays_with_us(both: Service) -> None:
    ann = both.author()
    submission = both.submit(ann, mode="ranked")
    both.runner()
    for _ in range(3):
        (job,) = both.dispatch()
        both.start(job)
        report = failed(Verdict.JUDGE_FAULT, "ours", detail="Traceback: secret path")
        assert both.put(job, "report", encode(report)).json() == {"recorded": True}
    seen = both.get(submission, ann)
    assert seen["outcome"] == "judge_fault"
    assert "secret path" not in str(seen)
    assert both.kinds(submission).count("requeued") == 2
    with both.sessions() as session:
        reasons = session.scalars(select(Attempt.reason)).all()
    assert all("secret path" in reason for reason in reasons)


def test_a_runner_that_restarts_gives_up_what_it_held_at_once(both: Service) -> None:
    ann = both.author()
    submission, job = both.started(ann)
    both.runner("r1", slots=1, restarted=True)
    both.sweeper().sweep()
    assert both.run_of(submission).state == RunState.DISPATCHED
    assert both.sent[-1].attempt_id != job.attempt_id


def test_a_job_that_cannot_be_sent_goes_back_without_costing_a_try(both: Service) -> None:
    ann = both.author()
    submission = both.submit(ann)
    both.runner()

    def broken(_job: object) -> None:
        raise ConnectionError("no broker")

    for _ in range(5):
        assert dispatch_all(both.sessions, both.settings, broken) == 0
    run = both.run_of(submission)
    assert (run.state, run.attempt_count) == (RunState.QUEUED, 0)
    assert len(both.dispatch()) == 1


def test_a_stranded_run_is_rescued(both: Service) -> None:
    ann = both.author()
    submission, _ = both.started(ann)
    with both.sessions() as session:
        for attempt in session.scalars(select(Attempt)):
            attempt.state = AttemptState.LOST
        session.commit()
    assert both.sweeper().stranded_runs()
    assert both.run_of(submission).state == RunState.QUEUED


def test_the_sweeper_sends_what_a_lost_doorbell_left(both: Service) -> None:
    both.submit(both.author())
    both.runner()
    assert both.sweeper().undispatched_runs()
    assert len(both.sent) == 1
    assert not both.sweeper().undispatched_runs()


def test_the_sweeper_rings_the_guard_again_but_not_every_second(both: Service) -> None:
    submission = both.judged(both.author(), passed())
    run = both.run_of(submission).id
    sweeper = both.sweeper()
    assert not sweeper.undecided_runs()
    with both.sessions() as session:
        session.execute(update(Run).values(judged_at=utc_now() - timedelta(minutes=1)))
        session.commit()
    assert sweeper.undecided_runs()
    assert not sweeper.undecided_runs()
    assert both.rung == [run]


@pytest.mark.parametrize("what", ["start", "heartbeat", "report", "cancelled", "events"])
def test_only_the_token_of_the_attempt_opens_it(service: Service, what: str) -> None:
    _, job = service.started(service.author())
    url = f"/api/v1/attempts/{job.attempt_id}/{what}"
    body = {"report": encode(passed()), "events": {"events": []}}.get(what)
    assert service.client.put(url, json=body).status_code == 401
    wrong = {"Authorization": "Bearer nonsense"}
    assert service.client.put(url, headers=wrong, json=body).status_code == 403
    elsewhere = f"/api/v1/attempts/{job.attempt_id + 1}/{what}"
    right = {"Authorization": f"Bearer {job.token}"}
    assert service.client.put(elsewhere, headers=right, json=body).status_code == 404


def test_tokens_are_kept_as_digests_only(service: Service) -> None:
    _, job = service.started(service.author())
    with service.sessions() as session:
        attempt = session.get(Attempt, job.attempt_id)
        assert attempt is not None
        assert attempt.token_digest == digest_of(job.token)


def test_an_unreadable_report_is_refused_and_leaves_the_run_running(service: Service) -> None:
    submission, job = service.started(service.author())
    answer = service.put(job, "report", {"verdict": "passed", "surprise": 1})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_report")
    assert service.run_of(submission).state == RunState.RUNNING
