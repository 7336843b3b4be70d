"""Kernels that compile go through a whole ranked run: what they built is there where they are timed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from runners.protocol import Verdict
from tests.runners.jit.conftest import KERNELS, Ranked


@pytest.mark.parametrize("path", sorted(KERNELS.glob("*.py")), ids=lambda path: path.stem)
def test_a_kernel_that_compiles_is_ranked(path: Path, ranked: Ranked) -> None:
    if "triton" in path.name and importlib.util.find_spec("triton") is None:
        pytest.skip("triton is not installed")
    report = ranked(path.read_text(encoding="utf-8"))
    assert report.verdict is Verdict.PASSED, (report.stage, report.message, report.detail)
    assert report.score is not None
    assert any(case.hidden and case.timing is not None for case in report.cases)


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
