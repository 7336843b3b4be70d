"""One job against the real service, with a judge whose behaviour the test chooses."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from problems.spec import read_spec
from runners.attempt import Bench, Prepared, events_to, run_job
from runners.delivery import Delivery
from runners.http import AttemptClient, http_client
from runners.judge.local import Cancelled
from runners.packages import PackageCache
from runners.protocol import Brief, Event, Job, Limits, Mode, Report, Verdict
from runners.spool import Spool
from server.models import Attempt, AttemptState, RunState, utc_now
from tests.server.listening import listener, serving
from tests.server.service import SOURCE, Service, failed, passed

Act = Callable[[Brief, Callable[[Event], None], Callable[[], bool]], Report]


class ChosenJudge:
    """A judge that does what the test says."""

    def __init__(self, act: Act) -> None:
        self._act = act
        self.closed = False

    def judge(
        self,
        brief: Brief,
        on_event: Callable[[Event], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Report:
        assert on_event is not None
        assert cancelled is not None
        return self._act(brief, on_event, cancelled)

    def close(self) -> None:
        self.closed = True


class Rig:
    """A runner for the service, without a broker."""

    def __init__(self, service: Service, client: httpx.Client, folder: Path) -> None:
        self.service = service
        self.client = client
        self.spool = Spool(folder / "reports")
        self.packages = PackageCache(folder / "packages")
        self.judges: list[ChosenJudge] = []

    def job(self, headers: dict[str, str], mode: str = "test") -> tuple[int, Job]:
        submission = self.service.submit(headers, mode=mode)
        self.service.runner("r1")
        (job,) = self.service.dispatch()
        return submission, job

    def run(self, job: Job, act: Act) -> None:
        def prepare(_mode: Mode, _limits: Limits) -> Prepared:
            self.judges.append(ChosenJudge(act))
            return self.judges[-1]

        self.run_with(job, prepare)

    def run_with(self, job: Job, prepare: Callable[[Mode, Limits], Prepared]) -> None:
        delivery = Delivery(self.client, self.spool)
        run_job(job, Bench("r1", self.client, delivery, self.packages, prepare, lambda: 0.02))


@pytest.fixture
def rig(service: Service, tmp_path: Path) -> Iterator[Rig]:
    # By HTTP: the heartbeat and the events have threads of their own, and an in-process client serves one thread only.
    with listener() as (listening, url), serving(service.app, listening), http_client() as client:
        service.settings.api_url = url
        yield Rig(service, client, tmp_path / "runner")


def test_the_judge_gets_the_brief_and_its_report_is_recorded(rig: Rig) -> None:
    seen: list[Brief] = []

    def act(brief: Brief, *_rest: object) -> Report:
        seen.append(brief)
        return passed()

    submission, job = rig.job(rig.service.author(), "ranked")
    nonce = rig.service.run_of(submission).nonce
    rig.run(job, act)
    (brief,) = seen
    assert (brief.source.encode(), brief.nonce, brief.mode) == (SOURCE, nonce, Mode.RANKED)
    assert brief.hidden
    assert read_spec(Path(brief.problem_path), "basics/vector_mean").title
    assert rig.service.run_of(submission).verdict == Verdict.PASSED
    assert rig.judges[0].closed
    assert list(rig.spool.kept()) == []


def test_a_job_that_was_delivered_twice_is_judged_once(rig: Rig) -> None:
    _, job = rig.job(rig.service.author())
    rig.run(job, lambda *_: failed(Verdict.WRONG))
    rig.run(job, lambda *_: pytest.fail("judged twice"))
    assert all(judge.closed for judge in rig.judges)


def test_an_exception_of_ours_is_a_judge_fault_with_its_detail(rig: Rig) -> None:
    def act(*_rest: object) -> Report:
        raise RuntimeError("our own bug")

    submission, job = rig.job(rig.service.author())
    rig.run(job, act)
    assert rig.service.run_of(submission).state == RunState.QUEUED
    with rig.service.sessions() as session:
        assert "our own bug" in session.get(Attempt, job.attempt_id).reason


def test_a_judge_that_cannot_be_opened_is_a_judge_fault(rig: Rig) -> None:
    def prepare(_mode: Mode, _limits: Limits) -> Prepared:
        raise OSError("no more processes")

    submission, job = rig.job(rig.service.author())
    rig.run_with(job, prepare)
    run = rig.service.run_of(submission)
    assert (run.state, run.attempt_count) == (RunState.QUEUED, 1)


def until_told(cancelled: Callable[[], bool]) -> Report:
    deadline = time.monotonic() + 30
    while not cancelled():
        assert time.monotonic() < deadline
        time.sleep(0.005)
    raise Cancelled


def test_a_cancellation_reaches_the_judge_and_ends_the_run(rig: Rig) -> None:
    ann = rig.service.author()
    submission, job = rig.job(ann, "ranked")

    def act(_brief: Brief, _tell: object, cancelled: Callable[[], bool]) -> Report:
        answer = rig.service.client.post(f"/api/v1/submissions/{submission}/cancel", headers=ann)
        assert answer.status_code == 200
        return until_told(cancelled)

    rig.run(job, act)
    run = rig.service.run_of(submission)
    assert run.state == RunState.CANCELLED
    assert run.started_at is not None
    assert rig.judges[0].closed


def test_a_lost_attempt_stops_judging_and_says_nothing(rig: Rig) -> None:
    submission, job = rig.job(rig.service.author())

    def act(_brief: Brief, _tell: object, cancelled: Callable[[], bool]) -> Report:
        with rig.service.sessions() as session:
            session.get(Attempt, job.attempt_id).state = AttemptState.LOST
            session.commit()
        return until_told(cancelled)

    rig.run(job, act)
    assert rig.service.run_of(submission).state == RunState.RUNNING


def test_a_long_run_keeps_its_lease(rig: Rig) -> None:
    submission, job = rig.job(rig.service.author())

    def act(*_rest: object) -> Report:
        rig.service.expire_leases()
        deadline = time.monotonic() + 30
        while _expired(rig.service):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        return failed(Verdict.WRONG)

    rig.run(job, act)
    assert rig.service.run_of(submission).verdict == Verdict.WRONG


def _expired(service: Service) -> bool:
    with service.sessions() as session:
        return any(attempt.lease_expires_at < utc_now() for attempt in session.query(Attempt))


def test_events_arrive_before_the_verdict_when_there_is_time(rig: Rig) -> None:
    submission, job = rig.job(rig.service.author())

    def act(_brief: Brief, tell: Callable[[Event], None], _cancelled: object) -> Report:
        tell(Event("stage", {"stage": "test", "total": 2}))
        deadline = time.monotonic() + 30
        while "stage" not in rig.service.kinds(submission):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        return failed(Verdict.WRONG)

    rig.run(job, act)
    assert rig.service.kinds(submission)[-3:] == ["running", "stage", "verdict"]


class StuckService(AttemptClient):
    """A service that answers no events until it is let."""

    def __init__(self) -> None:
        self.let = threading.Event()
        self.batches: list[int] = []

    def events(self, events: object) -> None:
        self.batches.append(len(list(events)))  # type: ignore[call-overload]
        self.let.wait(30)


def test_telling_never_waits_and_memory_is_bounded() -> None:
    stuck = StuckService()
    began = time.monotonic()
    with events_to(stuck) as tell:
        for number in range(5000):
            tell(Event("progress", {"stage": "time", "done": number}))
    assert time.monotonic() - began < 20
    stuck.let.set()
    assert sum(stuck.batches) <= 1001


class CountingService(AttemptClient):
    """A service that takes events and says how many came with each post."""

    def __init__(self) -> None:
        self.batches: list[int] = []

    def events(self, events: object) -> None:
        self.batches.append(len(list(events)))  # type: ignore[call-overload]


def test_events_that_follow_each_other_closely_share_a_post() -> None:
    service = CountingService()
    with events_to(service) as tell:
        tell(Event("stage", {"stage": "test", "total": 100}))
        for number in range(100):
            tell(Event("case", {"stage": "test", "index": number}))
        deadline = time.monotonic() + 30
        while sum(service.batches) < 101:
            assert time.monotonic() < deadline
            time.sleep(0.01)
    assert len(service.batches) < 20
