"""Reports for the guard's tests."""

from __future__ import annotations

from typing import Any

from runners.protocol import CaseResult, Evidence, Report, Stage, Timing, Verdict


def timing(**changes: Any) -> Timing:
    values: dict[str, Any] = {
        "pairs": 60,
        "calls": 1,
        "seconds": 1e-3,
        "anchor_seconds": 2e-3,
        "log_ratio": -0.69,
        "low": -0.7,
        "high": -0.68,
        "noisy": False,
        "mean_excess": 0.004,
        "resolution_seconds": 3e-5,
        "floor_seconds": 2e-4,
        "samples": (1e-3,) * 5,
        "anchor_samples": (2e-3,) * 5,
    }
    return Timing(**{**values, **changes})


def case(**changes: Any) -> CaseResult:
    values: dict[str, Any] = {
        "stage": Stage.TIME,
        "index": 0,
        "label": "n: 1048576",
        "hidden": False,
        "status": Verdict.PASSED,
        "error": 0.01,
        "anchor_error": 0.01,
        "timing": timing(),
    }
    return CaseResult(**{**values, **changes})


def report(*cases: CaseResult, verdict: Verdict = Verdict.PASSED, evidence: Evidence | None = None) -> Report:
    return Report(verdict, Stage.TIME, "", cases or (case(),), evidence=evidence or Evidence())
