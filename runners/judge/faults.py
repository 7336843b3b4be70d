"""Faults of ours, and how they are reported."""

from __future__ import annotations

from runners.protocol import Report, Stage, Verdict


class JudgeFault(Exception):
    """Something of ours failed. Never the author's fault; the text is for the operator."""


def fault_report(detail: str) -> Report:
    """The report of a failure of ours; `detail` is for the operator."""
    return Report(
        verdict=Verdict.JUDGE_FAULT,
        stage=Stage.BUILD,
        message="The judge failed, not your kernel. The run is tried again and costs you nothing.",
        detail=detail,
    )
