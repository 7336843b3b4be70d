"""Facts about the host and the versions, told in every report."""

from __future__ import annotations

import os
import platform

import numpy
import torch

from runners.devices.cpu import cpu_model
from runners.judge.floor import Peaks
from runners.sandbox.cores import CorePlan

JUDGE_VERSION = "1"
"""Counted up whenever times or verdicts of this judge may no longer compare with earlier ones."""


def describe(cores: CorePlan, peaks: Peaks | None) -> dict[str, str]:
    """The environment part of a report; `peaks` are what its floors were made of."""
    return {
        "judge": JUDGE_VERSION,
        "cpu": cpu_model(),
        "cores": str(len(cores.contestant)),
        "machine_cores": str(os.cpu_count() or 1),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": numpy.__version__,
        "kernel": platform.release(),
        **(peaks.as_text() if peaks is not None else {}),
    }
