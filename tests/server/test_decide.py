"""The guard stage with the real guard: what it finds is recorded, and only clean runs rank."""

from __future__ import annotations

import threading

from sqlalchemy import select

from guard.decide import Judgement, decide_safely
from guard.scan import Hit
from runners.protocol import Verdict, encode
from server.life.decide import decide, record_judgement
from server.models import Decision, DecisionOutcome, Finding, RunState
from tests.server.service import SOURCE, Service, failed, passed


def test_an_honest_kernel_is_clean(both: Service) -> None:
    ann = both.author()
    submission = both.judged(ann, passed())
    assert decide(both.sessions, both.run_of(submission).id)
    run = both.run_of(submission)
    assert (run.state, run.decision) == (RunState.FINISHED, DecisionOutcome.CLEAN)
    assert run.finished_at is not None
    assert both.kinds(submission)[-2:] == ["decided", "end"]


def test_deciding_twice_decides_once(both: Service) -> None:
    submission = both.judged(both.author(), passed())
    run = both.run_of(submission).id
    answers: list[bool] = []
    threads = [threading.Thread(target=lambda: answers.append(decide(both.sessions, run))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [False, False, True]
    with both.sessions() as session:
        assert len(session.scalars(select(Decision)).all()) == 1


def test_a_run_that_is_not_judged_is_left_alone(service: Service) -> None:
    submission, _ = service.started(service.author())
    assert not decide(service.sessions, service.run_of(submission).id)
    assert not decide(service.sessions, 999)
    assert service.run_of(submission).state == RunState.RUNNING


def test_failed_runs_are_read_too_but_stay_failed(service: Service) -> None:
    ann = service.author()
    submission = service.judged(ann, failed(Verdict.WRONG))
    decide(service.sessions, service.run_of(submission).id)
    seen = service.get(submission, ann)
    assert (seen["outcome"], seen["done"]) == ("wrong", True)


def test_what_does_not_parse_is_never_clean(service: Service) -> None:
    ann = service.author()
    submission = service.submit(ann, mode="ranked", source=b"def (:")
    service.runner()
    (job,) = service.dispatch()
    service.start(job)
    service.put(job, "report", encode(passed()))
    decide(service.sessions, service.run_of(submission).id)
    assert service.run_of(submission).decision == DecisionOutcome.REVIEW
    assert service.get(submission, ann)["outcome"] == "review"


def test_findings_are_shown_to_the_author_without_the_rule(service: Service) -> None:
    hit = Hit("a-rule", 3, "D", "reject", "It reads the clock.", "Do not.", 4, 2, "time.time()")
    ann = service.author()
    submission = service.judged(ann, passed(), mode="test")
    with service.sessions() as session:
        record_judgement(session, service.run_of(submission).id, Judgement("rejected", "because", (hit,)))
        session.commit()
        assert session.scalars(select(Finding.rule)).all() == ["a-rule"]
    seen = service.get(submission, ann)
    assert seen["runs"][0]["findings"] == [
        {
            "family": "D",
            "effect": "reject",
            "message": "It reads the clock.",
            "advice": "Do not.",
            "line": 4,
            "column": 2,
        }
    ]
    assert "a-rule" not in str(seen)
    assert seen["outcome"] == "passed"
    assert "as ranked it would be rejected" in seen["next_step"]


def test_the_guard_gives_the_same_answer_by_itself() -> None:
    assert decide_safely(SOURCE.decode(), "kernel.py", passed()).outcome == "clean"
