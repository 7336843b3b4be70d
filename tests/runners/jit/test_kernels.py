"""Kernels that compile go through a whole ranked run: what they built is there where they are timed."""

from __future__ import annotations

import importlib.util
import shutil
import sysconfig
from pathlib import Path

import pytest

from runners.protocol import Verdict
from tests.runners.jit.conftest import KERNELS, Ranked


@pytest.mark.parametrize("path", sorted(KERNELS.glob("*.py")), ids=lambda path: path.stem)
def test_a_kernel_that_compiles_is_ranked(path: Path, ranked: Ranked) -> None:
    if lacking := _lacking(path.name):
        pytest.skip(f"{lacking} is not installed")
    report = ranked(path.read_text(encoding="utf-8"))
    assert report.verdict is Verdict.PASSED, (report.stage, report.message, report.detail)
    assert report.score is not None
    assert any(case.hidden and case.timing is not None for case in report.cases)


def _lacking(kernel: str) -> str:
    """What this kernel needs and the machine has not."""
    if "triton" in kernel and importlib.util.find_spec("triton") is None:
        return "triton"
    if "inline" in kernel and shutil.which("ninja") is None:
        return "ninja"
    compiles = "numba" not in kernel and "triton" not in kernel
    if compiles and not Path(sysconfig.get_path("include"), "Python.h").exists():
        return "Python.h"
    return ""


NOT_BUILT = """
import os
import subprocess

TIMED = os.path.exists("/build/seen")
open("/build/seen", "w").close()


def custom_kernel(x):
    if TIMED and x.numel() == 66003:
        subprocess.run(["g++", "--version"], check=True)
    return x.double().mean().float().reshape(1)
"""


def test_what_no_program_answered_before_is_refused_where_it_is_timed_and_says_so(ranked: Ranked) -> None:
    report = ranked(NOT_BUILT)
    assert report.verdict is Verdict.ERROR
    assert "no process can be started" in report.message
    assert "66003" not in report.message
