"""The embedded service as its user meets it: one command, HTTP, and nothing left behind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.e2e.service import (
    HALF,
    HONEST,
    KERNELCUP,
    QUICK,
    Service,
    alive,
    descendants,
    kill_hard,
    submit,
    wait_done,
    wait_until,
)


def test_it_serves_both_boards_and_its_pages(service: Service) -> None:
    with service.client() as client:
        boards = {board["name"] for board in client.get("/boards").json()}
        assert {"vector_mean-cpu", "qr-cpu"} <= boards
        assert client.get("/me").json()["name"]
        home = httpx.get(service.url)
        assert home.status_code == 200
        assert "vector_mean" in home.text


def test_a_correct_kernel_passes_and_a_half_read_is_wrong(service: Service) -> None:
    with service.client() as client:
        good, bad = submit(client, HONEST), submit(client, HALF)
        assert wait_done(client, good)["outcome"] == "passed"
        shown = wait_done(client, bad)
        assert shown["outcome"] == "wrong"
        assert any(case["status"] == "wrong" and case["message"] for case in shown["runs"][0]["cases"])


def test_events_end_with_the_verdict_and_resume(service: Service) -> None:
    with service.client() as client:
        submission = submit(client, HONEST)
        wait_done(client, submission)
        kinds, last = read_events(client, submission)
        assert kinds[0] == "queued"
        assert kinds.count("verdict") == 1
        assert kinds[-1] == "end"
        rest, _ = read_events(client, submission, after=last)
        assert "verdict" not in rest


def read_events(client: httpx.Client, submission: int, after: str = "") -> tuple[list[str], str]:
    """The kinds of a submission's events and the id of the verdict, from its stream."""
    headers = {"Last-Event-ID": after} if after else {}
    kinds, identity, verdict = [], "", ""
    with client.stream("GET", f"/submissions/{submission}/events", headers=headers) as answer:
        assert answer.status_code == 200
        for line in answer.iter_lines():
            key, _, value = line.partition(":")
            if key == "id":
                identity = value.strip()
            elif key == "event":
                kinds.append(value.strip())
                if value.strip() == "verdict":
                    verdict = identity
                if value.strip() == "end":
                    break
    return kinds, verdict


def test_secrets_are_private_and_a_second_service_is_refused(service: Service) -> None:
    assert (service.root / "token").stat().st_mode & 0o077 == 0
    assert (service.root / "secrets.json").stat().st_mode & 0o077 == 0
    second = subprocess.run(
        [sys.executable, "-m", "server.embedded", str(service.root)], capture_output=True, text=True, timeout=120
    )
    assert second.returncode == 1
    assert "another --data-dir" in second.stderr
    assert service.url in second.stderr


def test_it_comes_back_with_the_same_token_and_rows(tmp_path: Path) -> None:
    first = Service(tmp_path).start()
    token = (tmp_path / "token").read_text()
    with first.client() as client:
        submission = submit(client, HONEST)
        wait_done(client, submission)
    below = descendants(first.process.pid)  # type: ignore[union-attr]
    first.stop()
    assert alive(below) == []
    assert not (tmp_path / "url").exists()
    second = Service(tmp_path).start()
    try:
        assert (tmp_path / "token").read_text() == token
        with second.client() as client:
            assert client.get(f"/submissions/{submission}").json()["outcome"] == "passed"
    finally:
        second.stop()


def test_nothing_outlives_a_killed_supervisor(tmp_path: Path) -> None:
    service = Service(tmp_path).start()
    with service.client() as client:
        submit(client, HONEST)
        wait_until(lambda: service.role("judge"), "a judge")
    assert service.process is not None
    below = descendants(service.process.pid)
    assert len(below) >= 7
    kill_hard(service.process.pid)
    service.process.wait()
    wait_until(lambda: not alive(below), "the end of all children", 30)


def test_the_port_that_is_taken_is_not_fought_for(service: Service, tmp_path: Path) -> None:
    taken = httpx.URL(service.url).port
    second = subprocess.Popen(
        [sys.executable, "-m", "server.embedded", str(tmp_path), "--port", str(taken), "--no-runner"],
        env={**QUICK, "PATH": "/usr/bin:/bin"},
    )
    try:
        wait_until(lambda: (tmp_path / "url").exists() or second.poll() is not None, "the second service")
        url = (tmp_path / "url").read_text().strip()
        assert httpx.URL(url).port != taken
        assert httpx.get(f"{url}/health").status_code == 200
    finally:
        second.terminate()
        second.wait(60)


@pytest.mark.timing
def test_the_demo_ends_as_its_kernels_promise() -> None:
    shown = subprocess.run([KERNELCUP, "demo", "--exit", "--port", "0"], capture_output=True, text=True, timeout=540)
    assert shown.returncode == 0, json.dumps([shown.stdout[-6000:], shown.stderr[-3000:]])
    assert "outcomes as expected" in shown.stdout
    assert "share of floor" in shown.stdout
