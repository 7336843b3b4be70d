"""Runs a case through the naive evaluator of :mod:`tests.cheats.harness`, where a cheat has to prove itself."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cheats.corpus import Case

HARNESS = Path(__file__).parent / "harness"
SEED = 20250401
"""The board's secret seed: the same for its life, in the evaluator's environment."""

_FIRST_UID, _UIDS = 61184, 4000
_REFERENCES = {"basics/vector_mean": "vector_mean.py", "linalg/qr": "qr.py"}
_TASKS: dict[str, dict[str, list[dict[str, Any]]]] = {
    "basics/vector_mean": {
        "tests": [{"n": 4097}, {"n": 20000}, {"n": 50001}],
        "benchmarks": [{"n": 1 << 20}, {"n": (1 << 20) + 4099}],
    },
    "linalg/qr": {
        "tests": [
            {"batch": 2, "m": 5, "n": 5, "family": "normal"},
            {"batch": 3, "m": 33, "n": 33, "family": "normal"},
            {"batch": 2, "m": 48, "n": 32, "family": "clustered"},
        ],
        "benchmarks": [
            {"batch": 16, "m": 64, "n": 64, "family": "normal"},
            {"batch": 16, "m": 72, "n": 64, "family": "clustered"},
        ],
    },
}


@dataclass(frozen=True)
class NaiveResult:
    """What the naive evaluator believed. `speedup` is over the honest kernel in the same process, 0 if unknown."""

    accepted: bool
    speedup: float
    problem: str
    lines: dict[str, str]
    log: str


class NaiveHarness:
    """The evaluator with torch imported, once for many cases. Use as a context manager."""

    def __init__(self) -> None:
        self._server: subprocess.Popen[str] | None = None
        self._counter = itertools.count(os.getpid() * 64)
        self.uids: set[int] = set()

    def __enter__(self) -> NaiveHarness:
        return self

    def __exit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.kill()
            self._server.communicate()

    def evaluate(self, case: Case, seconds: float = 60.0) -> NaiveResult:
        """Evaluate `case` in a folder and a process of its own, killed after `seconds`."""
        uid = _FIRST_UID + next(self._counter) % _UIDS if os.geteuid() == 0 else None
        if uid is not None:
            self.uids.add(uid)
        folder = Path(tempfile.mkdtemp(prefix="naive-"))
        try:
            _lay_out(case, folder, uid)
            request = {"folder": str(folder), "uid": uid, "seconds": seconds, "results": case.harness.results}
            return _result(self._ask(request))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        server = self._server
        if server is None or server.poll() is not None:
            environment = {
                "PATH": os.environ["PATH"],
                "LANG": "C.UTF-8",
                "HOME": "/nonexistent",
                "OMP_NUM_THREADS": "1",
                "PYTHONDONTWRITEBYTECODE": "1",
                "POPCORN_SEED": str(SEED),
            }
            server = self._server = subprocess.Popen(
                [sys.executable, str(HARNESS / "server.py")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=environment,
            )
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        line = server.stdout.readline()
        return dict(json.loads(line)) if line else {"problem": "the evaluator's server died", "lines": {}, "log": ""}


def _lay_out(case: Case, folder: Path, uid: int | None) -> None:
    (folder / "build").mkdir()
    task = {**_TASKS[case.problem], "options": dataclasses.asdict(case.harness)}
    (folder / "task.json").write_text(json.dumps(task))
    (folder / "submission.py").write_text(case.source)
    (folder / "task.py").write_text("input_t = object\noutput_t = object\n")
    shutil.copy(HARNESS / "eval.py", folder)
    shutil.copy(HARNESS / "utils.py", folder)
    shutil.copy(HARNESS / _REFERENCES[case.problem], folder / "reference.py")
    if uid is not None:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, uid, uid)


def _result(answer: dict[str, Any]) -> NaiveResult:
    lines = answer["lines"]
    accepted = not answer["problem"] and lines.get("check") == "pass"
    return NaiveResult(accepted, _speedup(lines), answer["problem"], lines, answer["log"])


def _speedup(lines: dict[str, str]) -> float:
    """The geometric mean over cases of anchor by submission; a time of zero or less is infinitely fast."""
    logs = []
    for index in itertools.count():
        if f"benchmark.{index}.median" not in lines:
            break
        try:
            mine = float(lines[f"benchmark.{index}.median"])
            anchor = float(lines.get(f"anchor.{index}.median", "nan"))
        except ValueError:
            return 0.0
        logs.append(math.inf if mine <= 0 else math.log(anchor / mine))
    return math.exp(sum(logs) / len(logs)) if logs else 0.0
