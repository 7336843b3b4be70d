"""The control and guard workers as real processes on a real broker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kombu import Connection

from runners.protocol import Job, decode, encode
from server import celery_app
from server.models import DecisionOutcome, RunState
from tests.server.broker import Broker, broker
from tests.server.conftest import SECRETS, make_service
from tests.server.service import Service, passed

ROOT = Path(__file__).parents[2]


@pytest.fixture
def real_broker() -> Iterator[Broker]:
    with broker() as made:
        yield made


@pytest.fixture
def wired(database_url: str, tmp_path: Path, real_broker: Broker) -> Iterator[Service]:
    yield from make_service(database_url, tmp_path, broker_url=real_broker.url, sweep_seconds=0.2)


@contextmanager
def workers(service: Service, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """One process that is control worker, guard worker and clock."""
    environment = {
        **os.environ,
        "KERNELCUP_DATABASE_URL": service.settings.database_url,
        "KERNELCUP_BROKER_URL": service.settings.broker_url,
        "KERNELCUP_DATA_DIR": str(tmp_path),
        "KERNELCUP_SWEEP_SECONDS": "0.2",
        "KERNELCUP_SECRET_KEY": SECRETS["secret_key"],
        "KERNELCUP_RUNNER_KEY": SECRETS["runner_key"],
    }
    command = [sys.executable, "-m", "celery", "-A", "server.celery_app", "worker", "-P", "solo", "-Q", "control,guard"]
    command += ["--beat", "--schedule", str(tmp_path / "beat"), "--without-gossip", "--without-mingle"]
    with (tmp_path / "workers.log").open("ab") as log:
        # The clock is a child of the worker and outlives it: both are one process group.
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        yield process
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def until(condition: Callable[[], bool], tmp_path: Path) -> None:
    """Wait for `condition`; show the workers' log if it never holds."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, (tmp_path / "workers.log").read_text()[-4000:]
        time.sleep(0.02)


def next_job(service: Service, seconds: float = 60) -> Job:
    """The next job on the CPU queue, as a runner would take it."""
    with Connection(service.settings.broker_url) as connection, connection.SimpleQueue("device.cpu") as queue:
        message = queue.get(timeout=seconds)
        message.ack()
        return decode(Job, message.payload[0][0])


def test_a_ring_dispatches_and_a_report_is_decided(wired: Service, tmp_path: Path) -> None:
    ann = wired.author()
    with workers(wired, tmp_path):
        wired.runner()
        submission = wired.submit(ann, mode="ranked")
        job = next_job(wired)
        assert job.is_signed_by(SECRETS["runner_key"].encode())
        wired.start(job)
        wired.put(job, "report", encode(passed()))
        until(lambda: wired.run_of(submission).state == RunState.FINISHED, tmp_path)
    assert wired.run_of(submission).decision == DecisionOutcome.CLEAN
    assert wired.kinds(submission) == ["queued", "dispatched", "running", "verdict", "decided", "end"]
    assert wired.get(submission, ann)["outcome"] == "ranked"


def test_submitting_works_without_a_broker_and_the_sweeper_catches_up(
    wired: Service, tmp_path: Path, real_broker: Broker
) -> None:
    ann = wired.author()
    wired.runner()
    real_broker.stop()
    submission = wired.submit(ann)
    assert wired.client.get("/health").json()["broker"] == "unreachable"
    real_broker.start()
    with workers(wired, tmp_path):
        assert next_job(wired).run_id == wired.run_of(submission).id


def test_the_workers_survive_the_brokers_death(wired: Service, tmp_path: Path, real_broker: Broker) -> None:
    ann = wired.author()
    with workers(wired, tmp_path) as process:
        wired.runner()
        first = wired.submit(ann)
        assert next_job(wired).run_id == wired.run_of(first).id
        real_broker.stop()
        real_broker.start()
        second = wired.submit(ann)
        wired.expire_leases()
        wired.runner("r2", slots=4)
        runs = {wired.run_of(number).id for number in (first, second)}
        seen: set[int] = set()
        while seen != runs:
            seen.add(next_job(wired).run_id)
        assert process.poll() is None


def test_a_ring_without_a_broker_costs_next_to_nothing(wired: Service, real_broker: Broker) -> None:
    wired.submit(wired.author())
    wired.runner()
    (job,) = wired.dispatch()
    real_broker.stop()
    celery_app.configure(wired.settings)
    celery_app.ring()
    with pytest.raises(ConnectionError, match="a moment ago"):
        celery_app.send_job(job)
