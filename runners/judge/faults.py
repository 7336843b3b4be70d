"""Faults of ours, as reports."""

from __future__ import annotations

from runners.protocol import Report, Stage, Verdict


def fault_report(detail: str) -> Report:
    """The report of a failure of ours; `detail` is for the operator."""
    return Report(
        verdict=Verdict.JUDGE_FAULT,
        stage=Stage.BUILD,
        message="The judge failed, not your kernel. The run is tried again and costs you nothing.",
        detail=detail,
    )
