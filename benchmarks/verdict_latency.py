"""How long from submit to verdict, beside the usual way on the same machine in the same run.

The service way: a `test` run of vector_mean through API, Celery and sandbox, from the first byte of the request to the
moment a client can see the verdict. The usual way (:mod:`cold_way`): one cold Python process that imports torch to load
the submission, then a second that checks the same cases in a spawned child, which imports torch again. Both ways take
turns. The last line is JSON: {"service_ms", "cold_ms", "ratio"}, medians and how many times faster the service is.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parents[1]
KERNEL = ROOT / "examples" / "kernels" / "honest" / "vector_mean-cpu" / "torch_mean.py"
PROBLEM = ROOT / "problems" / "library" / "basics" / "vector_mean"
BOARD = "vector_mean-cpu"
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


def service_seconds(client: httpx.Client) -> float:
    """From submit to verdict through the service."""
    begun = time.perf_counter()
    sent = client.post("/submissions", data={"board": BOARD, "mode": "test"}, files={"file": KERNEL.open("rb")})
    sent.raise_for_status()
    while True:
        run = client.get(f"/submissions/{sent.json()['id']}").raise_for_status().json()["runs"][0]
        if run["verdict"] is not None:
            break
        time.sleep(POLL_SECONDS)
    seconds = time.perf_counter() - begun
    if run["verdict"] != "passed":
        sys.exit(f"the service judged an honest kernel {run['verdict']}: {run['message']}")
    return seconds


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


def main() -> None:
    """Measure, print a line a round, and the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15, help="rounds that count, after two that warm up")
    rounds = parser.parse_args().rounds
    service_times, cold_times = [], []
    with tempfile.TemporaryDirectory(prefix="kernelcup-bench-") as name:
        folder = Path(name)
        service = start_service(folder)
        try:
            headers = {"Authorization": f"Bearer {(folder / 'token').read_text().strip()}"}
            url = (folder / "url").read_text().strip()
            with httpx.Client(base_url=f"{url}/api/v1", headers=headers, timeout=60) as client:
                for number in range(-2, rounds):
                    warm, cold = service_seconds(client), cold_seconds()
                    if number >= 0:
                        service_times.append(warm)
                        cold_times.append(cold)
                        sys.stdout.write(f"{number + 1:3}: service {warm * 1e3:7.1f} ms, cold {cold * 1e3:7.1f} ms\n")
        finally:
            service.terminate()
            service.wait()
    service_ms, cold_ms = (statistics.median(times) * 1e3 for times in (service_times, cold_times))
    result = {"service_ms": round(service_ms, 1), "cold_ms": round(cold_ms, 1), "ratio": round(cold_ms / service_ms, 2)}
    sys.stdout.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
