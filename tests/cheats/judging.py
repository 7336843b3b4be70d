"""Runs a case through the real judge, on a small copy of its problem, and through the guard: how it ends."""

from __future__ import annotations

import secrets
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from guard.decide import Judgement, decide_safely
from problems.spec import library
from runners.judge.local import judge
from runners.protocol import Brief, CaseSpec, Limits, Mode, Report, Verdict
from runners.sandbox.warm import WarmServer
from tests.cheats.corpus import CASE_SECONDS, Case

LIMITS = Limits(
    build_seconds=40,
    test_seconds=40,
    call_seconds=5,
    case_seconds=CASE_SECONDS,
    memory_bytes=1 << 30,
    processes=32,
    output_kill_bytes=1 << 20,
)

RETRIES = 2
"""Faults of the judge, such as a host too busy to stop a process on, are tried again, as the service does."""

_SMALL: dict[str, dict[str, Any]] = {
    "basics/vector_mean": {
        "tests": [
            {"n": 1, "family": "normal"},
            {"n": 1023, "family": "lognormal"},
            {"n": 4097, "family": "offset"},
            {"n": 32767, "family": "pairs"},
        ],
        "benchmarks": [{"n": 65536, "family": "integers"}],
        "hidden": [{"n": 66003, "family": "integers"}],
    },
    "linalg/qr": {
        "tests": [
            {"batch": 1, "m": 1, "n": 1, "family": "normal"},
            {"batch": 3, "m": 33, "n": 33, "family": "normal"},
            {"batch": 2, "m": 47, "n": 31, "family": "duplicate"},
            {"batch": 8, "m": 33, "n": 33, "family": "mixed"},
        ],
        "benchmarks": [{"batch": 16, "m": 64, "n": 64, "family": "mixed"}],
        "hidden": [{"batch": 14, "m": 70, "n": 61, "family": "mixed"}],
    },
}


@dataclass(frozen=True)
class Meeting:
    """How a case ended: one of :data:`tests.cheats.corpus.ENDS`, or "judge_fault"."""

    end: str
    report: Report
    judgement: Judgement

    def __str__(self) -> str:
        hits = [f"{hit.rule} ({hit.effect}, line {hit.line}): {hit.message}" for hit in self.judgement.hits]
        report = self.report
        return "\n".join([f"{self.end}: {report.verdict} in {report.stage}: {report.message}{report.detail}", *hits])


def small_problem(slug: str, root: Path) -> Path:
    """A copy of the problem `slug` under `root` with few small tests and one public timed case."""
    folder = root / slug
    if not folder.exists():
        folder.mkdir(parents=True)
        source = library()[slug]
        shutil.copy(source / "reference.py", folder)
        task = yaml.safe_load((source / "task.yml").read_text())
        task |= {key: _SMALL[slug][key] for key in ("tests", "benchmarks")}
        task.pop("hidden")
        (folder / "task.yml").write_text(yaml.safe_dump(task))
    return folder


def meet_judge(case: Case, warm: WarmServer, root: Path) -> Meeting:
    """Judge `case` ranked, and let the guard decide."""
    hidden = tuple(CaseSpec(i, dict(params), hidden=True) for i, params in enumerate(_SMALL[case.problem]["hidden"]))
    folder = small_problem(case.problem, root)
    limits = replace(LIMITS, case_seconds=case.seconds)
    brief = Brief(Mode.RANKED, str(folder), case.source, "submission.py", secrets.token_hex(32), limits, hidden)
    report = judge(brief, warm=warm)
    for _ in range(RETRIES):
        if report.verdict is not Verdict.JUDGE_FAULT:
            break
        report = judge(replace(brief, nonce=secrets.token_hex(32)), warm=warm)
    judgement = decide_safely(case.source, "submission.py", report)
    return Meeting(_end(report, judgement), report, judgement)


def _end(report: Report, judgement: Judgement) -> str:
    if report.verdict is Verdict.PASSED:
        return "ranked" if judgement.outcome == "clean" else judgement.outcome
    # What the judge saw happen is a rejection, whatever else went wrong.
    return "rejected" if report.evidence.violations else str(report.verdict)
