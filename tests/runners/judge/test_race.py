"""How samples are made and revealed, and what a race puts into its report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from runners.protocol import CaseResult, CaseSpec, Mode, Report, Stage, Verdict
from tests.runners.judge.conftest import QUICK

Judge = Callable[..., Report]

HEAVY_REFERENCE = """
import torch

def generate_input(n: int, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(n, n, generator=generator)

def ref_kernel(data: torch.Tensor) -> torch.Tensor:
    y = data
    for _ in range(ROUNDS):
        y = torch.tanh(y @ data)
    return y

custom_kernel = ref_kernel
"""
HEAVY_TASK = """
lang: py
description: Many products of one small matrix.
files:
  - {name: submission.py, source: "@SUBMISSION@"}
  - {name: reference.py, source: reference.py}
config: {main: eval.py}
check: {name: allclose, rtol: 1.0e-4, atol: 1.0e-4}
tests: [{n: 8}]
benchmarks: [{n: 16}]
"""


@pytest.fixture
def heavy(tmp_path: Path) -> Path:
    """A problem whose input is one kilobyte and whose reference takes some milliseconds."""
    (tmp_path / "task.yml").write_text(HEAVY_TASK)
    (tmp_path / "reference.py").write_text(HEAVY_REFERENCE.replace("ROUNDS", "300"))
    return tmp_path


def timed(report: Report) -> CaseResult:
    assert report.verdict is Verdict.PASSED, (report.message, report.detail)
    return next(case for case in report.cases if case.stage is Stage.TIME)


@pytest.mark.timing
def test_a_short_kernel_beside_cheap_copies_is_revealed_call_by_call(heavy: Path, judge_source: Judge) -> None:
    report = judge_source(HEAVY_REFERENCE.replace("ROUNDS", "300"), problem=heavy, mode=Mode.BENCHMARK)
    timing = timed(report).timing
    assert timing is not None
    assert timing.reveal == "one by one"
    assert timing.calls > 1
    assert timing.pairs >= 3


SUPERBATCH = """
import ctypes
import torch

def answer(data):
    y = data
    for _ in range(300):
        y = torch.tanh(y @ data)
    return y

class Bank:
    views = None
    calls = 0

bank = Bank()

def custom_kernel(data):
    # Look ahead: the inputs of the calls to come lie behind this one, if they are there already.
    bank.calls += 1
    if bank.calls <= 1 or data.numel() < 256:
        return answer(data)
    if bank.views is None or bank.calls % 4 == 0:
        places = [data.data_ptr() + 4096 * ahead for ahead in range(4)]
        inputs = [torch.frombuffer((ctypes.c_char * 1024).from_address(place), dtype=torch.float32) for place in places]
        bank.views = [answer(one.view(16, 16)) for one in inputs]
    return bank.views[bank.calls % 4]
"""


@pytest.mark.timing
def test_a_superbatch_finds_nothing_ahead_when_calls_are_revealed_one_by_one(heavy: Path, judge_source: Judge) -> None:
    report = judge_source(SUPERBATCH, problem=heavy, mode=Mode.BENCHMARK)
    assert report.verdict is Verdict.WRONG, report.message
    assert report.stage is Stage.TIME


def test_a_large_input_is_revealed_together_and_every_output_checked(judge_source: Judge) -> None:
    report = judge_source("def custom_kernel(x):\n    return x.mean().reshape(1)\n", mode=Mode.BENCHMARK)
    timing = timed(report).timing
    assert timing is not None
    assert timing.reveal in ("together", "single")
    assert timing.low <= timing.log_ratio <= timing.high
    assert len(timing.samples) == len(timing.anchor_samples) == timing.pairs
    assert timing.resolution_seconds * timing.calls == pytest.approx(40e-6)


def test_one_wrong_timed_call_fails_the_run(judge_source: Judge) -> None:
    source = """
calls = 0
def custom_kernel(x):
    global calls
    calls += 1
    return x.mean().reshape(1) + (1.0 if calls == 40 else 0.0)
"""
    limits = replace(QUICK, case_seconds=1.0)
    report = judge_source(source, mode=Mode.BENCHMARK, limits=limits)
    assert report.verdict is Verdict.WRONG
    assert report.score is None


def test_of_a_hidden_case_only_family_and_error_are_told(judge_source: Judge) -> None:
    source = """
def custom_kernel(x):
    return (x[:5000] if len(x) == 70001 else x).mean().reshape(1)
"""
    hidden = (CaseSpec(0, {"n": 70001, "family": "integers"}, hidden=True),)
    report = judge_source(source, mode=Mode.RANKED, hidden=hidden)
    assert report.verdict is Verdict.WRONG
    assert "integers" in report.message
    assert "times the limit" in report.message
    everything = report.message + "".join(case.label + case.message for case in report.cases)
    assert "70001" not in everything
    assert report.output == ""


def test_what_is_printed_or_raised_in_a_ranked_run_carries_no_hidden_shape_out(judge_source: Judge) -> None:
    source = """
def custom_kernel(x):
    print("shape", len(x))
    if len(x) == 70001:
        raise type("Shape%d" % len(x), (Exception,), {})(str(len(x)))
    return x.mean().reshape(1)
"""
    hidden = (CaseSpec(0, {"n": 70001, "family": "integers"}, hidden=True),)
    report = judge_source(source, mode=Mode.RANKED, hidden=hidden)
    assert report.verdict is Verdict.ERROR
    assert "70001" not in report.message + report.output


def test_the_build_reaches_the_timed_stage(judge_source: Judge) -> None:
    source = """
import ctypes, os, subprocess
from pathlib import Path

library = Path(os.environ["KERNELCUP_BUILD_DIR"]) / "mean.so"
if not library.exists():
    code = Path("/tmp/mean.cpp")
    code.write_text('extern "C" double total(const float* x, long n)'
                    '{ double s = 0; for (long i = 0; i < n; i++) s += x[i]; return s; }')
    subprocess.run(["g++", "-O3", "-march=native", "-shared", "-fPIC", "-o", str(library), str(code)], check=True)
total = ctypes.CDLL(str(library)).total
total.restype, total.argtypes = ctypes.c_double, [ctypes.c_void_p, ctypes.c_long]

def custom_kernel(x):
    import torch
    return torch.tensor([total(x.data_ptr(), len(x)) / len(x)], dtype=torch.float32)
"""
    assert judge_source(source, mode=Mode.BENCHMARK).verdict is Verdict.PASSED


SCRIBBLER = """
import torch

def custom_kernel(x):
    mean = x.mean().reshape(1)
    x.fill_(float("nan"))
    return mean
"""


def test_what_a_kernel_writes_to_its_inputs_reaches_nobody(
    judge_source: Judge,
) -> None:
    report = judge_source(SCRIBBLER, mode=Mode.BENCHMARK)
    assert timed(report).timing is not None
    assert report.verdict is Verdict.PASSED
