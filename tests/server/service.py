"""A whole service without its workers: the real application on a real database, moved on by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx import Response
from sqlalchemy import select, update

from guard.decide import Judgement
from runners.protocol import (
    CaseResult,
    Job,
    Mode,
    Report,
    Score,
    Stage,
    Timing,
    Verdict,
    encode,
)
from server.auth import make_token
from server.life.decide import record_judgement
from server.life.dispatch import dispatch_all
from server.life.sweep import Sweeper
from server.models import Attempt, Run, RunnerHost, RunReason, Submission, SubmissionEvent, User, utc_now
from server.settings import Settings

SOURCE = b"import torch\n\n\ndef custom_kernel(data):\n    return data.mean().reshape(1)\n"
BOARD = "vector_mean-cpu"


@dataclass
class Service:
    """The application with a client, and what its workers would do, one step at a time."""

    app: FastAPI
    settings: Settings
    client: TestClient
    sent: list[Job] = field(default_factory=list)
    rung: list[int] = field(default_factory=list)

    @property
    def sessions(self) -> Any:
        """Sessions that may write."""
        return self.app.state.sessions

    def author(self, name: str = "ann", *, admin: bool = False) -> dict[str, str]:
        """A new user's headers."""
        with self.sessions() as session:
            user = User(name=name, is_admin=admin)
            session.add(user)
            session.flush()
            token = make_token(session, user)
            session.commit()
        return {"Authorization": f"Bearer {token}"}

    def post(
        self,
        headers: dict[str, str],
        *,
        mode: str = "test",
        source: bytes = SOURCE,
        name: str = "kernel.py",
        board: str = BOARD,
        key: str | None = None,
    ) -> Response:
        """Submit as multipart form."""
        return self.client.post(
            "/api/v1/submissions",
            headers={**headers, **({"Idempotency-Key": key} if key else {})},
            data={"board": board, "mode": mode},
            files={"file": (name, source)},
        )

    def submit(self, headers: dict[str, str], *, mode: str = "test", source: bytes = SOURCE) -> int:
        """Submit; the submission's id."""
        answer = self.post(headers, mode=mode, source=source)
        assert answer.status_code == 201, answer.text
        return int(answer.json()["id"])

    def get(self, submission_id: int, headers: dict[str, str]) -> dict[str, Any]:
        """The submission as its author sees it."""
        answer = self.client.get(f"/api/v1/submissions/{submission_id}", headers=headers)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def runner(self, name: str = "r1", *, slots: int = 1, device: str = "cpu", **body: Any) -> Response:
        """Register a runner."""
        return self.client.put(
            f"/api/v1/runners/{name}",
            headers={"Authorization": f"Bearer {self.settings.runner_key}"},
            json={"device": device, "slots": slots, **body},
        )

    def dispatch(self) -> list[Job]:
        """What the dispatcher sends now."""
        before = len(self.sent)
        dispatch_all(self.sessions, self.settings, self.sent.append)
        return self.sent[before:]

    def sweeper(self) -> Sweeper:
        """A sweeper of this service."""
        return Sweeper(self.sessions, self.settings, self.sent.append, self.rung.append)

    def put(self, job: Job, what: str, body: Any = None) -> Response:
        """A runner's request for the attempt of `job`."""
        headers = {"Authorization": f"Bearer {job.token}"}
        return self.client.put(f"/api/v1/attempts/{job.attempt_id}/{what}", headers=headers, json=body)

    def start(self, job: Job, runner: str = "r1") -> dict[str, Any]:
        """Start the attempt; the brief."""
        answer = self.put(job, "start", {"runner": runner})
        assert answer.status_code == 200, answer.text
        brief: dict[str, Any] = answer.json()
        return brief

    def started(self, headers: dict[str, str], *, mode: str = "test", source: bytes = SOURCE) -> tuple[int, Job]:
        """A submission that a runner has begun, and its job."""
        submission = self.submit(headers, mode=mode, source=source)
        self.runner(slots=100)
        job = next(job for job in self.dispatch() if job.run_id == self.run_of(submission).id)
        self.start(job)
        return submission, job

    def judged(self, headers: dict[str, str], report: Report, *, mode: str = "ranked", source: bytes = SOURCE) -> int:
        """A submission with a recorded report."""
        submission, job = self.started(headers, mode=mode, source=source)
        answer = self.put(job, "report", encode(report))
        assert answer.json() == {"recorded": True}, answer.text
        return submission

    def decided(
        self, headers: dict[str, str], report: Report, outcome: str, *, mode: str = "ranked", source: bytes = SOURCE
    ) -> int:
        """A submission that the guard has decided on."""
        submission = self.judged(headers, report, mode=mode, source=source)
        with self.sessions() as session:
            judgement = Judgement(outcome, "as the test wants", ())
            assert record_judgement(session, self.run_of(submission).id, judgement)
            session.commit()
        return submission

    def run_of(self, submission_id: int) -> Run:
        """The newest run of the submission that its author asked for, as stored."""
        own = Run.reason == RunReason.SUBMITTED
        with self.sessions() as session:
            run = session.scalar(select(Run).where(Run.submission_id == submission_id, own).order_by(Run.id.desc()))
            assert run is not None
            return run

    def kinds(self, submission_id: int) -> list[str]:
        """The kinds of the submission's events, in order."""
        with self.sessions() as session:
            return list(
                session.scalars(
                    select(SubmissionEvent.kind)
                    .where(SubmissionEvent.submission_id == submission_id)
                    .order_by(SubmissionEvent.id)
                )
            )

    def expire_leases(self) -> None:
        """Let a lease's time go by."""
        self._execute(update(Attempt).values(lease_expires_at=utc_now() - timedelta(seconds=1)))

    def silence_runners(self) -> None:
        """Let the time go by after which a silent runner is not live."""
        self._execute(update(RunnerHost).values(seen_at=utc_now() - timedelta(hours=1)))

    def age(self, submission_id: int, hours: float) -> None:
        """Make a submission older."""
        then = utc_now() - timedelta(hours=hours)
        self._execute(update(Submission).where(Submission.id == submission_id).values(created_at=then))

    def _execute(self, statement: Any) -> None:
        with self.sessions() as session:
            session.execute(statement)
            session.commit()


def timing(log_ratio: float = -0.5, *, floor: float | None = 1e-4) -> Timing:
    """A plausible timing."""
    return Timing(
        pairs=30, calls=1, seconds=4e-4, anchor_seconds=6e-4, log_ratio=log_ratio, low=log_ratio - 0.01,
        high=log_ratio + 0.01, noisy=False, mean_excess=0.0, resolution_seconds=4e-5, floor_seconds=floor,
        samples=(4e-4, 4.1e-4), anchor_samples=(6e-4, 6.1e-4),
    )  # fmt: skip


def passed(log_ratio: float = -0.5, width: float = 0.01) -> Report:
    """The report of a kernel that passed a ranked run with a hidden case."""
    return Report(
        verdict=Verdict.PASSED,
        stage=Stage.TIME,
        message="All cases passed.",
        cases=(
            CaseResult(Stage.TEST, 0, "n: 5; family: normal", False, Verdict.PASSED, error=0.1),
            CaseResult(Stage.TIME, 0, "n: 1024; family: normal", False, Verdict.PASSED, error=0.1, timing=timing()),
            CaseResult(Stage.TIME, 0, "n: 31337; family: spike", True, Verdict.PASSED, error=0.1, timing=timing()),
        ),
        score=Score(log_ratio, log_ratio - width, log_ratio + width, 4e-4, False),
        environment={"torch": "2.13.0"},
        level={"memory": "cgroup-v1"},
    )


def failed(verdict: Verdict, message: str = "It failed.", *, hidden: bool = False, detail: str = "") -> Report:
    """The report of a kernel that failed in its first case."""
    label = "n: 31337; family: spike" if hidden else "n: 5; family: normal"
    cases = (CaseResult(Stage.TEST, 0, label, hidden, verdict, message=message),)
    return Report(verdict=verdict, stage=Stage.TEST, message=message, cases=cases, output="printed", detail=detail)


MODES = [Mode.TEST, Mode.BENCHMARK, Mode.RANKED]
