"""How long from submit to verdict, beside the usual way on the same machine in the same run.

The service way: a `test` run of vector_mean through API, Celery and sandbox, from the first byte of the request to the
moment a client can see the verdict, and the stages of that way from the service's own events and report: "submit" the
request itself, "queue" until the job is sent, "start" until the runner has fetched it, "build" and "tests" in the
sandbox, "record" what else lies before the verdict is stored (the rest of the judge and the delivery of its report),
"guard" from there to the decision, after the verdict can be seen. The usual way (:mod:`cold_way`): one cold Python
process that imports torch to load the submission, then a second that checks the same cases in a spawned child, which
imports torch again. Both ways take turns. The last line is JSON: {"service_ms", "cold_ms", "ratio", "stages_ms":
{stage: ms}}, medians and how many times faster the service is.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parents[1]
KERNEL = ROOT / "examples" / "kernels" / "honest" / "vector_mean-cpu" / "torch_mean.py"
PROBLEM = ROOT / "problems" / "library" / "basics" / "vector_mean"
BOARD = "vector_mean-cpu"
DATABASE = "kernelcup.db"
POLL_SECONDS = 0.01
START_SECONDS = 120.0


def start_service(folder: Path) -> subprocess.Popen[bytes]:
    """An embedded service in `folder`, ready."""
    log = (folder / "supervisor.out").open("wb")
    service = subprocess.Popen(
        [sys.executable, "-m", "server.embedded", str(folder), "--port", "0"],
        env={**os.environ, "KERNELCUP_SUBMISSIONS_PER_HOUR": "100000"},
        stdout=log,
        stderr=log,
    )
    deadline = time.monotonic() + START_SECONDS
    while not (folder / "url").exists():
        if service.poll() is not None or time.monotonic() > deadline:
            service.kill()
            sys.exit("the service did not start:\n" + (folder / "supervisor.out").read_text())
        time.sleep(0.1)
    return service


@dataclass(frozen=True)
class Round:
    """One submission through the service: seconds to the verdict, and the seconds of each stage."""

    seconds: float
    stages: dict[str, float]


def service_round(client: httpx.Client, database: Path) -> Round:
    """From submit to verdict through the service, then until the guard has decided."""
    begun = time.perf_counter()
    sent = client.post("/submissions", data={"board": BOARD, "mode": "test"}, files={"file": KERNEL.open("rb")})
    sent.raise_for_status()
    submitted = time.perf_counter() - begun
    path = f"/submissions/{sent.json()['id']}"
    while True:
        run = client.get(path).raise_for_status().json()["runs"][0]
        if run["verdict"] is not None:
            break
        time.sleep(POLL_SECONDS)
    seconds = time.perf_counter() - begun
    if run["verdict"] != "passed":
        sys.exit(f"the service judged an honest kernel {run['verdict']}: {run['message']}")
    while not client.get(path).raise_for_status().json()["done"]:
        time.sleep(POLL_SECONDS)
    durations = client.get(f"{path}/report").raise_for_status().json()["durations"]
    return Round(seconds, {"submit": submitted} | stages(moments(database, sent.json()["id"]), durations))


def moments(database: Path, submission: int) -> dict[str, datetime]:
    """When each kind of event first happened to a submission, by the service's clock."""
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        rows = connection.execute(
            "SELECT kind, created_at FROM submission_events WHERE submission_id = ? ORDER BY id DESC", (submission,)
        ).fetchall()
    return {kind: datetime.fromisoformat(moment) for kind, moment in rows}


def stages(at: dict[str, datetime], durations: dict[str, float]) -> dict[str, float]:
    """Seconds of each stage after the request."""

    def between(first: str, last: str) -> float:
        return (at[last] - at[first]).total_seconds()

    build, tests = durations["build"], durations["test"]
    return {
        "queue": between("queued", "dispatched"),
        "start": between("dispatched", "running"),
        "build": build,
        "tests": tests,
        "record": between("running", "verdict") - build - tests,
        "guard": between("verdict", "decided"),
    }


def cold_seconds() -> float:
    """The same verdict in the usual way."""
    begun = time.perf_counter()
    for step in ("load", "check"):
        subprocess.run(
            [sys.executable, str(ROOT / "benchmarks" / "cold_way.py"), step, str(PROBLEM), str(KERNEL)],
            check=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
    return time.perf_counter() - begun


def shown(done: Round) -> str:
    """A round in milliseconds."""
    parts = " ".join(f"{name} {seconds * 1e3:.0f}" for name, seconds in done.stages.items())
    return f"service {done.seconds * 1e3:7.1f} ms ({parts})"


def main() -> None:
    """Measure, print a line a round, and the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15, help="rounds that count, after two that warm up")
    parser.add_argument("--quick", action="store_true", help="5 rounds")
    options = parser.parse_args()
    rounds = 5 if options.quick else max(1, options.rounds)
    rounds_done: list[Round] = []
    cold_times: list[float] = []
    with tempfile.TemporaryDirectory(prefix="kernelcup-bench-") as name:
        folder = Path(name)
        service = start_service(folder)
        try:
            headers = {"Authorization": f"Bearer {(folder / 'token').read_text().strip()}"}
            url = (folder / "url").read_text().strip()
            with httpx.Client(base_url=f"{url}/api/v1", headers=headers, timeout=60) as client:
                for number in range(-2, rounds):
                    warm, cold = service_round(client, folder / DATABASE), cold_seconds()
                    if number >= 0:
                        rounds_done.append(warm)
                        cold_times.append(cold)
                        sys.stdout.write(f"{number + 1:3}: {shown(warm)}, cold {cold * 1e3:7.1f} ms\n")
                        sys.stdout.flush()
        finally:
            service.terminate()
            service.wait()
    service_ms = statistics.median(done.seconds for done in rounds_done) * 1e3
    cold_ms = statistics.median(cold_times) * 1e3
    result = {
        "service_ms": round(service_ms, 1),
        "cold_ms": round(cold_ms, 1),
        "ratio": round(cold_ms / service_ms, 2),
        "stages_ms": {
            name: round(statistics.median(done.stages[name] for done in rounds_done) * 1e3, 1)
            for name in rounds_done[0].stages
        },
    }
    sys.stdout.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
