"""The runner's worker: jobs it will not touch, and the real one judging for the real service."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select, update

from problems.requirements import HOST_FACTS
from runners.host import HostSettings
from runners.protocol import Job, Limits, Mode, Verdict, encode
from runners.sandbox.level import admits, probe
from runners.worker import accepted
from server.celery_app import send_job
from server.life.dispatch import dispatch_all
from server.models import Board, RunnerHost, RunState
from tests.server.broker import broker
from tests.server.conftest import SECRETS, make_service
from tests.server.listening import listener, serving
from tests.server.service import BOARD, Service

ROOT = Path(__file__).parents[3]
KEY = SECRETS["runner_key"]


@pytest.fixture
def job() -> Job:
    plain = Job(1, 2, Mode.TEST, "cpu", "basics/vector_mean", "0" * 64, "http://service", "token", Limits())
    return plain.signed(KEY.encode())


@pytest.fixture
def host() -> HostSettings:
    return HostSettings(runner_key=KEY, broker_url="memory://", device="cpu")


def test_a_signed_job_for_the_device_is_accepted(job: Job, host: HostSettings) -> None:
    assert accepted(encode(job), host) == job


def test_anything_else_is_dropped(job: Job, host: HostSettings) -> None:
    forged = [
        encode(replace(job, run_id=9)),
        encode(replace(job, api_url="http://evil")),
        encode(replace(job, signature="")),
        encode(replace(job, signature="").signed(b"another key")),
        encode(replace(job, device="h100", signature="").signed(KEY.encode())),
        {**encode(job), "more": 1},
        {},
        None,
        "job",
    ]
    assert [accepted(message, host) for message in forged] == [None] * len(forged)


needs_sandbox = pytest.mark.skipif(
    bool(admits(probe(), True)), reason="this host cannot judge: " + "; ".join(admits(probe(), True))
)


@contextmanager
def served(service: Service) -> Iterator[str]:
    """The service's application on a port of its own."""
    with listener() as (listening, url), serving(service.app, listening):
        yield url


class RunnerProcess:
    """The real worker, in a process."""

    def __init__(self, service: Service, url: str, folder: Path) -> None:
        self._log = folder / "runner.log"
        self._environment = {
            **os.environ,
            "KERNELCUP_API_URL": url,
            "KERNELCUP_BROKER_URL": service.settings.broker_url,
            "KERNELCUP_RUNNER_KEY": KEY,
            "KERNELCUP_RUNNER_NAME": "real",
            "KERNELCUP_RUNNER_DIR": str(folder / "runner"),
            "KERNELCUP_ALLOW_NO_MEMORY_CONTROL": "true",
        }
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "celery", "-A", "runners.worker", "worker", "--without-mingle"]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(command, cwd=ROOT, env=self._environment, stdout=log, stderr=log)

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        assert self._process is not None
        self._process.terminate()
        self._process.wait(60)

    def until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 240
        while not condition():
            assert time.monotonic() < deadline, self._log.read_text()[-4000:]
            time.sleep(0.05)


@pytest.fixture
def wired(sqlite_url: str, tmp_path: Path) -> Iterator[tuple[Service, RunnerProcess]]:
    with ExitStack() as stack:
        made = stack.enter_context(broker())
        service = stack.enter_context(contextmanager(make_service)(sqlite_url, tmp_path, broker_url=made.url))
        service.settings.api_url = stack.enter_context(served(service))
        runner = RunnerProcess(service, service.settings.api_url, tmp_path)
        runner.start()
        stack.callback(runner.kill)
        runner.until(lambda: live(service))
        yield service, runner


def live(service: Service) -> bool:
    with service.sessions() as session:
        return session.scalar(select(RunnerHost.slots).where(RunnerHost.name == "real")) == 1


def dispatch(service: Service) -> None:
    assert dispatch_all(service.sessions, service.settings, send_job) == 1


@needs_sandbox
def test_the_real_runner_judges_survives_and_signs_off(wired: tuple[Service, RunnerProcess]) -> None:
    service, runner = wired
    ann = service.author()
    good = service.submit(ann)
    dispatch(service)
    runner.until(lambda: service.run_of(good).state == RunState.JUDGED)
    assert service.run_of(good).verdict == Verdict.PASSED
    assert service.get(good, ann)["runs"][0]["level"]

    endless = service.submit(ann, source=b"def custom_kernel(data):\n    while True:\n        pass\n")
    dispatch(service)
    runner.until(lambda: service.run_of(endless).state == RunState.RUNNING)
    runner.kill()
    runner.start()
    runner.until(lambda: service.sweeper().expired_leases())
    assert service.run_of(endless).state == RunState.QUEUED

    with service.sessions() as session:
        level = session.scalars(select(RunnerHost.level)).one()
        assert set(level) == set(HOST_FACTS)
        answers = [level["swap"]]
        session.execute(
            update(Board)
            .where(Board.name == BOARD)
            .values(limits={"call_seconds": 0.5, "test_seconds": 5.0, "requires": {"stop": ["yes"], "swap": answers}})
        )
        session.commit()
    dispatch(service)
    runner.until(lambda: service.run_of(endless).state == RunState.RUNNING)
    answer = service.client.post(f"/api/v1/submissions/{endless}/cancel", headers=ann)
    assert answer.status_code in (200, 409)
    runner.until(lambda: service.run_of(endless).state in (RunState.CANCELLED, RunState.JUDGED))

    runner.stop()
    assert not live(service)
