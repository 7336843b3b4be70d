"""A whole embedded service for tests, as its own process, spoken to over HTTP alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

KERNELCUP = Path(sys.executable).parent / "kernelcup"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "kernels"
# Far beyond what anything here takes: a bound against hanging for ever, not a claim about speed.
PATIENCE_SECONDS = 240.0
QUICK = {
    "KERNELCUP_LEASE_SECONDS": "4",
    "KERNELCUP_HEARTBEAT_SECONDS": "1",
    "KERNELCUP_RUNNER_LIVE_SECONDS": "6",
    "KERNELCUP_SWEEP_SECONDS": "0.5",
    "KERNELCUP_SUBMISSIONS_PER_HOUR": "10000",
}
HONEST = "import torch\n\n\ndef custom_kernel(x):\n    return x.mean().reshape(1)\n"
HALF = "import torch\n\n\ndef custom_kernel(x):\n    return x[::2].mean().reshape(1)\n"


def wait_until(what: Callable[[], Any], name: str = "", seconds: float = PATIENCE_SECONDS, pause: float = 0.05) -> Any:
    """The first true value of `what()`, asked every `pause` seconds; fails after `seconds`."""
    deadline = time.monotonic() + seconds
    while not (value := what()):
        assert time.monotonic() < deadline, f"{name or what} did not happen in {seconds:.0f} s"
        time.sleep(pause)
    return value


@dataclass
class Service:
    """One embedded service in `root`. :meth:`start` returns when it is ready."""

    root: Path
    env: dict[str, str] = field(default_factory=lambda: dict(QUICK))
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> Service:
        log = (self.root / "supervisor.out").open("ab")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "server.embedded", str(self.root), "--port", "0"],
            env={**os.environ, **self.env},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        wait_until(lambda: (self.root / "url").exists() or self.ended(), "the service's start")
        assert not self.ended(), self.logs()
        return self

    def ended(self) -> bool:
        return self.process is not None and self.process.poll() is not None

    def stop(self) -> None:
        if self.process is not None and not self.ended():
            self.process.terminate()
            self.process.wait(60)

    @property
    def url(self) -> str:
        return (self.root / "url").read_text().strip()

    def client(self) -> httpx.Client:
        token = (self.root / "token").read_text().strip()
        # The API may be killed under us: connections are tried again, answers asked for again by wait_done.
        transport = httpx.HTTPTransport(retries=5)
        return httpx.Client(
            base_url=f"{self.url}/api/v1",
            headers={"Authorization": f"Bearer {token}"},
            transport=transport,
            timeout=30,
        )

    def logs(self) -> str:
        paths = [self.root / "supervisor.out", *sorted((self.root / "logs").glob("*.log"))]
        return "\n".join(f"--- {p.name}\n{p.read_text(errors='replace')[-3000:]}" for p in paths if p.exists())

    def child(self, mark: str) -> int | None:
        """The id of the supervisor's child whose command line holds `mark`."""
        assert self.process is not None
        return next((pid for pid in children(self.process.pid) if mark in command_line(pid)), None)

    def role(self, name: str) -> int | None:
        """The process id of a part of the service; the judge exists only while it judges."""
        marks = {"valkey": "valkey-server", "api": "server.embedded.api", "control": "control@", "guard": "guard@"}
        if name in marks:
            return self.child(marks[name])
        runner = self.child("device.cpu")
        if name == "runner" or runner is None:
            return runner
        warm = next(iter(children(runner)), None)
        if name == "warm" or warm is None:
            return warm
        assert name == "judge"
        return next(iter(children(warm)), None)


def children(pid: int) -> list[int]:
    """The child processes of `pid`, over all of its threads."""
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(word) for word in path.read_text().split()]
        except OSError:
            continue
    return found


def descendants(pid: int) -> list[int]:
    """All processes below `pid`."""
    direct = children(pid)
    return direct + [deeper for child in direct for deeper in descendants(child)]


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def alive(pids: Iterable[int]) -> list[int]:
    """Those of `pids` that run; zombies do not."""
    living = []
    for pid in pids:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX":
                living.append(pid)
        except OSError:
            continue
    return living


def kill_hard(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def submit(client: httpx.Client, source: str, board: str = "vector_mean-cpu", mode: str = "test") -> int:
    """Submit `source`, trying again with the same key while the API is away; returns the submission's id."""
    key = os.urandom(8).hex()
    body = {"board": board, "source": source, "mode": mode}

    def attempt() -> httpx.Response | None:
        try:
            answer = client.post("/submissions", json=body, headers={"Idempotency-Key": key})
        except httpx.TransportError:
            return None
        return None if answer.status_code >= 500 else answer

    answer: httpx.Response = wait_until(attempt, "a submission's acceptance")
    assert answer.status_code in (200, 201), answer.text
    return int(answer.json()["id"])


def look(client: httpx.Client, submission: int) -> dict[str, Any]:
    """The submission, or an empty dictionary while the API is away."""
    try:
        answer = client.get(f"/submissions/{submission}")
    except httpx.TransportError:
        return {}
    return answer.json() if answer.is_success else {}


def wait_done(client: httpx.Client, submission: int) -> dict[str, Any]:
    """The submission once its outcome is final."""

    def done() -> dict[str, Any] | None:
        shown = look(client, submission)
        return shown if shown.get("done") else None

    shown: dict[str, Any] = wait_until(done, f"the end of submission {submission}", pause=0.2)
    return shown
