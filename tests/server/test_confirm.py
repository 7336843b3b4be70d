"""A claim to the record: queued, confirmed or refuted by itself, whatever dies on the way, and shown as what it is."""

from __future__ import annotations

import math
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from guard.decide import Judgement
from runners.protocol import Job, Report, Stage, Verdict, encode
from server.life.decide import record_judgement
from server.migrate import downgrade, upgrade
from server.models import (
    Board,
    Claim,
    Decision,
    DecisionOutcome,
    Finding,
    Record,
    Run,
    RunReason,
    RunState,
    SubmissionEvent,
    utc_now,
)
from server.ranking import record_of
from tests.server.conftest import make_service
from tests.server.service import BOARD, SOURCE, Service, failed, passed

Headers = dict[str, str]


def variant(name: str) -> bytes:
    return SOURCE + f"\nNAME = {name!r}\n".encode()


def rows(service: Service) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = service.client.get(f"/api/v1/boards/{BOARD}/rows").json()["rows"]
    return found


def titles(service: Service) -> list[tuple[str, bool, str]]:
    return [(row["author"], row["record"], row["confirmation"]) for row in rows(service)]


def confirming(service: Service) -> list[Run]:
    """The runs that confirm, the first one first."""
    with service.sessions() as session:
        query = select(Run).where(Run.reason == RunReason.CONFIRMATION).order_by(Run.id)
        return list(session.scalars(query))


def begun(service: Service) -> Job:
    """The newest confirming run, with a runner."""
    run = confirming(service)[-1]
    service.dispatch()
    job = next(job for job in reversed(service.sent) if job.run_id == run.id)
    service.start(job)
    return job


def answer(service: Service, report: Report, outcome: str = "clean") -> None:
    """Let the newest confirming run end with `report`, and the guard decide `outcome`."""
    job = begun(service)
    assert service.put(job, "report", encode(report)).json() == {"recorded": True}
    decide(service, job.run_id, outcome)


def decide(service: Service, run_id: int, outcome: str) -> None:
    with service.sessions() as session:
        record_judgement(session, run_id, Judgement(outcome, "as the test wants", ()))
        session.commit()


def confirmation_events(service: Service, submission: int) -> list[str]:
    with service.sessions() as session:
        query = (
            select(SubmissionEvent)
            .where(SubmissionEvent.submission_id == submission, SubmissionEvent.kind == "confirmation")
            .order_by(SubmissionEvent.id)
        )
        return [event.data["state"] for event in session.scalars(query)]


def claimed(service: Service, log_ratio: float = -0.6) -> tuple[Headers, int]:
    """Bob holds the record with -0.5; Ann has sent what would surely beat it. Ann's headers and submission."""
    service.decided(service.author("bob"), passed(-0.5), "clean", source=variant("bob"))
    ann = service.author("ann")
    return ann, service.decided(ann, passed(log_ratio), "clean", source=variant("ann"))


def test_the_first_on_a_board_and_who_ties_with_it_confirm_nothing(both: Service) -> None:
    both.decided(both.author("bob"), passed(-0.5), "clean")
    both.decided(both.author("ann"), passed(-0.505), "clean")
    assert titles(both) == [("bob", True, "none"), ("ann", False, "none")]
    assert confirming(both) == []


def test_a_claim_waits_for_a_fresh_run_and_leaves_the_record_where_it_is(both: Service) -> None:
    ann, submission = claimed(both)
    assert titles(both) == [("ann", False, "queued"), ("bob", True, "none")]
    assert [row["rank_low"] for row in rows(both)] == [1, 2]
    (run,) = confirming(both)
    first = both.run_of(submission)
    assert (run.submission_id, run.device, run.mode, run.state) == (submission, "cpu", "ranked", RunState.QUEUED)
    assert run.nonce != first.nonce
    seen = both.get(submission, ann)
    assert (seen["outcome"], seen["done"]) == ("ranked", True)
    assert [item["id"] for item in seen["runs"]] == [first.id]
    assert [(item["id"], item["reason"]) for item in seen["confirmations"]] == [(run.id, "confirmation")]
    assert seen["runs"][0]["confirmation"] == "queued"
    assert "must agree first" in seen["next_step"]
    assert both.kinds(submission)[-3:] == ["decided", "confirmation", "end"]
    begun(both)
    assert titles(both)[0] == ("ann", False, "running")
    assert both.get(submission, ann)["runs"][0]["confirmation"] == "running"


def test_a_fresh_run_that_agrees_gives_the_record_to_the_pooled_row(both: Service) -> None:
    ann, submission = claimed(both)
    answer(both, passed(-0.58))
    assert titles(both) == [("ann", True, "confirmed"), ("bob", False, "none")]
    assert rows(both)[0]["runs"] == 2
    assert rows(both)[0]["speedup"] == pytest.approx(math.exp(0.59))
    assert both.get(submission, ann)["runs"][0]["confirmation"] == "confirmed"
    assert confirmation_events(both, submission) == ["queued", "running", "confirmed"]
    assert both.kinds(submission).count("end") == 1


def test_a_fresh_run_that_does_not_agree_is_what_counts(both: Service) -> None:
    ann, submission = claimed(both)
    answer(both, passed(-0.505))
    assert titles(both) == [("bob", True, "none"), ("ann", False, "refuted")]
    assert rows(both)[1]["runs"] == 1
    assert rows(both)[1]["speedup"] == pytest.approx(math.exp(0.505))
    seen = both.get(submission, ann)
    assert seen["outcome"] == "ranked"
    assert seen["runs"][0]["confirmation"] == "refuted"
    assert [(item["family"], item["effect"]) for item in seen["runs"][0]["findings"]] == [("G84", "note")]
    assert confirmation_events(both, submission) == ["queued", "running", "refuted"]


def test_bad_luck_that_chance_explains_is_no_finding(both: Service) -> None:
    _, submission = claimed(both, -0.525)
    answer(both, passed(-0.513))
    assert titles(both)[1][2] == "refuted"
    with both.sessions() as session:
        assert session.scalars(select(Finding)).all() == []
    assert both.run_of(submission).set_aside


@pytest.mark.parametrize(
    ("report", "outcome"),
    [
        (failed(Verdict.WRONG), "clean"),
        (failed(Verdict.CRASHED), "clean"),
        (passed(-0.6), "rejected"),
        (passed(-0.6), "review"),
    ],
    ids=["wrong", "crashed", "rejected", "review"],
)
def test_a_fresh_run_that_fails_sends_the_row_to_review(service: Service, report: Report, outcome: str) -> None:
    ann, submission = claimed(service)
    answer(service, report, outcome)
    assert titles(service) == [("bob", True, "none")]
    seen = service.get(submission, ann)
    assert seen["outcome"] == "review"
    assert [item["effect"] for item in seen["runs"][0]["findings"]] == ["review"]
    with service.sessions() as session:
        newest = session.scalars(select(Decision).order_by(Decision.id.desc())).first()
        assert newest is not None
        assert newest.outcome == DecisionOutcome.REVIEW


def test_our_own_fault_is_tried_again_and_in_the_end_made_up_for(both: Service) -> None:
    ann, submission = claimed(both)
    fault = Report(Verdict.JUDGE_FAULT, Stage.TIME, "The runner failed.")
    for _ in range(both.settings.max_attempts):
        both.put(begun(both), "report", encode(fault))
    (run,) = confirming(both)
    assert (run.state, run.verdict) == (RunState.FINISHED, Verdict.JUDGE_FAULT)
    assert titles(both)[0] == ("ann", False, "queued")
    assert both.get(submission, ann)["outcome"] == "ranked"
    assert not both.sweeper().unanswered_claims()
    _later(both, Run, Run.id == run.id, finished_at=timedelta(seconds=-both.settings.confirm_retry_seconds - 1))
    assert both.sweeper().unanswered_claims()
    assert not both.sweeper().unanswered_claims()
    assert len(confirming(both)) == 2
    answer(both, passed(-0.58))
    assert titles(both)[0] == ("ann", True, "confirmed")


def test_a_killed_runner_loses_no_confirmation(both: Service) -> None:
    _, submission = claimed(both)
    begun(both)
    both.expire_leases()
    assert both.sweeper().sweep()
    answer(both, passed(-0.58))
    assert titles(both)[0] == ("ann", True, "confirmed")
    assert confirmation_events(both, submission) == ["queued", "running", "queued", "running", "confirmed"]


def test_a_decision_that_is_rolled_back_leaves_nothing_and_is_made_again(both: Service) -> None:
    claimed(both)
    job = begun(both)
    both.put(job, "report", encode(passed(-0.58)))
    with both.sessions() as session:
        assert record_judgement(session, job.run_id, Judgement("clean", "then the guard is killed", ()))
        session.rollback()
    assert titles(both)[0] == ("ann", False, "running")
    decide(both, job.run_id, "clean")
    decide(both, job.run_id, "clean")
    assert titles(both)[0] == ("ann", True, "confirmed")
    with both.sessions() as session:
        assert len(session.scalars(select(Record)).all()) == 2


def test_decisions_at_once_make_one_claim(both: Service) -> None:
    both.decided(both.author("bob"), passed(-0.5), "clean", source=variant("bob"))
    ann = both.author("ann")
    submissions = [both.judged(ann, passed(-0.6), source=variant("ann")) for _ in range(4)]
    threads = [
        threading.Thread(target=decide, args=(both, both.run_of(submission).id, "clean")) for submission in submissions
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(confirming(both)) == 1
    assert rows(both)[0]["runs"] == 4


def test_a_kernel_claims_a_record_once(service: Service) -> None:
    ann, _ = claimed(service)
    service.decided(ann, passed(-0.61), "clean", source=variant("ann"))
    answer(service, passed(-0.505))
    for _ in range(3):
        service.decided(ann, passed(-0.62), "clean", source=variant("ann"))
    assert len(confirming(service)) == 1
    assert titles(service)[0] == ("ann", False, "refuted")
    assert titles(service)[1] == ("bob", True, "none")


def test_each_further_claim_of_an_author_is_harder(service: Service) -> None:
    ann, _ = claimed(service)
    answer(service, passed(-0.505))
    service.decided(ann, passed(-0.6), "clean", source=variant("another"))
    answer(service, passed(-0.5145))
    with service.sessions() as session:
        claims = session.scalars(select(Claim).order_by(Claim.id)).all()
        assert [(claim.earlier, claim.state) for claim in claims] == [(0, "refuted"), (1, "refuted")]
    eve = service.author("eve")
    service.decided(eve, passed(-0.6), "clean", source=variant("eve"))
    answer(service, passed(-0.5145))
    assert ("eve", "confirmed") in [(name, state) for name, _, state in titles(service)]


def test_the_next_record_has_to_beat_the_new_one(service: Service) -> None:
    claimed(service)
    answer(service, passed(-0.6))
    eve = service.author("eve")
    service.decided(eve, passed(-0.55), "clean", source=variant("eve"))
    assert len(confirming(service)) == 1
    service.decided(eve, passed(-0.7), "clean", source=variant("faster"))
    assert titles(service)[:2] == [("eve", False, "queued"), ("ann", True, "confirmed")]


def test_the_holders_own_next_kernel_is_confirmed_too_and_the_record_stays_until_then(service: Service) -> None:
    bob = service.author("bob")
    first = service.decided(bob, passed(-0.5), "clean", source=variant("first"))
    service.decided(bob, passed(-0.6), "clean", source=variant("second"))
    assert titles(service) == [("bob", False, "queued")]
    with service.sessions() as session:
        board = session.scalar(select(Board).where(Board.name == BOARD))
        assert board is not None
        record = record_of(session, board)
        assert record is not None
        assert (record.submission_id, record.record) == (first, True)
    answer(service, passed(-0.6))
    assert titles(service) == [("bob", True, "confirmed")]


def test_a_record_that_does_not_stand_any_more_falls_back_to_the_one_before(service: Service) -> None:
    _, submission = claimed(service)
    answer(service, passed(-0.6))
    _set(service, Run, Run.submission_id == submission, decision=DecisionOutcome.REJECTED)
    assert titles(service) == [("bob", True, "none")]


def test_a_board_may_want_no_confirmation(both: Service) -> None:
    _set(both, Board, Board.name == BOARD, limits={"confirm_records": False})
    claimed(both)
    assert titles(both) == [("ann", True, "none"), ("bob", False, "none")]
    assert confirming(both) == []


def test_an_author_can_neither_cancel_a_confirmation_nor_pays_for_it(sqlite_url: str, tmp_path: Path) -> None:
    for service in make_service(sqlite_url, tmp_path, submissions_per_hour=3):
        ann, submission = claimed(service)
        job = begun(service)
        refused = service.client.post(f"/api/v1/submissions/{submission}/cancel", headers=ann)
        assert refused.json()["code"] == "already_finished"
        assert service.put(job, "heartbeat").json() == {"cancel": False, "lost": False}
        service.put(job, "report", encode(failed(Verdict.WRONG)))
        decide(service, job.run_id, "clean")
        assert service.post(ann).headers["RateLimit-Remaining"] == "1"


def test_confirmations_wait_for_peoples_own_runs_but_not_for_ever(both: Service) -> None:
    ann, _ = claimed(both)
    both.silence_runners()
    own = both.run_of(both.submit(ann, mode="ranked")).id
    test = both.run_of(both.submit(ann)).id
    (run,) = confirming(both)
    both.runner(slots=3)
    assert [job.run_id for job in both.dispatch()] == [test, own, run.id]


def test_an_overdue_confirmation_goes_first(service: Service) -> None:
    ann, _ = claimed(service)
    own = service.run_of(service.submit(ann)).id
    (run,) = confirming(service)
    _later(service, Run, Run.id == run.id, queued_at=timedelta(seconds=-service.settings.confirm_within_seconds - 1))
    assert [job.run_id for job in service.dispatch()] == [run.id, own]


def test_runs_survive_the_way_down_and_up_again(both: Service) -> None:
    _, submission = claimed(both)
    answer(both, passed(-0.58))
    downgrade(both.settings.database_url, "0002")
    upgrade(both.settings.database_url)
    with both.sessions() as session:
        runs = session.scalars(select(Run).where(Run.submission_id == submission)).all()
        assert [(run.reason, run.set_aside) for run in runs] == [(RunReason.SUBMITTED, False)] * 2
    assert titles(both) == [("ann", True, "none"), ("bob", False, "none")]


def _set(service: Service, table: type[Any], where: Any, **values: Any) -> None:
    with service.sessions() as session:
        session.execute(update(table).where(where).values(**values))
        session.commit()


def _later(service: Service, table: type[Any], where: Any, **shifts: timedelta) -> None:
    _set(service, table, where, **{name: utc_now() + shift for name, shift in shifts.items()})
