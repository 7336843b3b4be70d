"""Any process may be killed at any moment: every submission still gets exactly one verdict."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.service import HALF, HONEST, Service, kill_hard, look, submit, wait_done, wait_until

pytestmark = pytest.mark.timing

ROLES = ("valkey", "api", "control", "guard", "runner", "warm", "judge")
SOURCES = {"passed": HONEST, "wrong": HALF}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    running = Service(Path(tmp_path_factory.mktemp("killed")))
    try:
        yield running.start()
    finally:
        running.stop()


@pytest.mark.parametrize("role", ROLES)
def test_killing_one_process_loses_and_doubles_nothing(service: Service, role: str) -> None:
    with service.client() as client:
        sent = {submit(client, SOURCES[outcome]): outcome for outcome in ("passed", "wrong", "passed", "passed")}
        victim = while_judging(service, client, sent, role)
        kill_hard(victim)
        sent |= {submit(client, SOURCES[outcome]): outcome for outcome in ("wrong", "passed")}
        shown = {submission: wait_done(client, submission) for submission in sent}
        assert {number: page["outcome"] for number, page in shown.items()} == sent, service.logs()
        wait_until(lambda: service.role(role) not in (None, victim) or role == "judge", f"a new {role}")
    for submission in sent:
        assert facts(service, submission) == {"runs": 1, "verdicts": 1, "reports": 1, "ends": 1}


def while_judging(service: Service, client: httpx.Client, sent: dict[int, str], role: str) -> int:
    """The id of the process to kill, at a moment when a submission runs and others wait."""

    def moment() -> int | None:
        states = [run["state"] for number in sent for run in look(client, number).get("runs", [])]
        return service.role(role) if "running" in states and "queued" in states else None

    victim: int = wait_until(moment, f"a moment to kill the {role}", 60)
    return victim


def facts(service: Service, submission: int) -> dict[str, int]:
    """What the database holds of a submission: the truth, beside what the API shows."""
    database = service.root / "kernelcup.db"
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:

        def count(query: str) -> Any:
            return connection.execute(query, (submission,)).fetchone()[0]

        event = "SELECT count(*) FROM submission_events WHERE submission_id = ? AND kind = "
        run = "SELECT count(*) FROM runs WHERE submission_id = ?"
        reported = (
            "SELECT count(*) FROM attempts JOIN runs ON runs.id = attempts.run_id"
            # A report of our own fault is kept as a reason, and the run queued again.
            " WHERE runs.submission_id = ? AND attempts.state = 'reported' AND attempts.reason = ''"
        )
        return {
            "runs": count(run),
            "verdicts": count(event + "'verdict'"),
            "reports": count(reported),
            "ends": count(event + "'end'"),
        }


def test_a_killed_runner_leaves_no_contestant_behind(service: Service) -> None:
    with service.client() as client:
        submission = submit(client, HONEST)
        judge: int = wait_until(lambda: service.role("judge"), "a judge")
        runner = service.role("runner")
        assert runner is not None
        kill_hard(runner)
        wait_until(lambda: not Path(f"/proc/{judge}").exists(), "the judge's end", 30)
        assert wait_done(client, submission)["outcome"] == "passed"
