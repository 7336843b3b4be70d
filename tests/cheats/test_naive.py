"""The naive harness is naive where it says so, and nowhere else: an honest kernel passes, a plainly wrong one fails."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest

from tests.cheats.corpus import Case, HarnessOptions
from tests.cheats.naive import NaiveHarness

MEAN, QR = "basics/vector_mean", "linalg/qr"
HONEST = {
    MEAN: "def custom_kernel(x):\n    return x.mean().reshape(1)\n",
    QR: "import torch\ndef custom_kernel(a):\n    return torch.geqrf(a)\n",
}
ZERO = "import torch\ndef custom_kernel(x):\n    return torch.zeros(1)\n"
IDENTITY = "import torch\ndef custom_kernel(a):\n    return a, torch.zeros(a.shape[0], a.shape[2])\n"


def case_of(source: str, problem: str = MEAN, **options: object) -> Case:
    harness = dataclasses.replace(HarnessOptions(), **options)
    return Case("a00_test", "A", "", problem, ("wrong",), "", "", harness, False, False, source)


@pytest.mark.parametrize("problem", [MEAN, QR])
def test_an_honest_kernel_is_accepted_and_seems_about_as_fast_as_itself(problem: str, naive: NaiveHarness) -> None:
    result = naive.evaluate(case_of(HONEST[problem], problem))
    assert result.accepted, result.problem
    assert 0.1 < result.speedup < 10


@pytest.mark.parametrize(("problem", "source"), [(MEAN, ZERO), (QR, IDENTITY)])
def test_a_plainly_wrong_kernel_is_refused(problem: str, source: str, naive: NaiveHarness) -> None:
    assert not naive.evaluate(case_of(source, problem)).accepted


def test_zeros_pass_a_loose_tolerance_around_zero(naive: NaiveHarness) -> None:
    assert naive.evaluate(case_of(ZERO, inputs="normal", tolerance="loose")).accepted


def test_not_a_number_passes_where_the_reference_comes_first(naive: NaiveHarness) -> None:
    nan = ZERO.replace("zeros(1)", "full((1,), torch.nan)")
    assert naive.evaluate(case_of(nan, reference="first")).accepted
    assert not naive.evaluate(case_of(nan)).accepted


FORGED = """
def custom_kernel(x):
    print("check: pass")
    print("anchor.0.median: 1.0")
    print("benchmark.0.median: 0.001", flush=True)
    import os
    os._exit(0)
"""


def test_printed_results_count_only_where_results_are_printed(naive: NaiveHarness) -> None:
    result = naive.evaluate(case_of(FORGED, results="stdout"))
    assert result.accepted
    assert result.speedup == pytest.approx(1000)
    assert not naive.evaluate(case_of(FORGED)).accepted


def test_an_endless_kernel_and_what_it_started_are_killed_and_the_next_one_runs(naive: NaiveHarness) -> None:
    endless = "import os\nos.fork()\nos.setsid()\nwhile True:\n    pass\ncustom_kernel = None\n"
    assert "no answer in time" in naive.evaluate(case_of(endless), seconds=1.5).problem
    assert not [pid for pid in os.listdir("/proc") if pid.isdigit() and _uid(pid) in naive.uids]
    assert naive.evaluate(case_of(HONEST[MEAN])).accepted


def test_what_a_kernel_breaks_stays_in_its_own_evaluation(naive: NaiveHarness) -> None:
    broken = "import torch\ntorch.allclose = None\ntorch.Tensor.mean = None\n" + HONEST[MEAN]
    assert not naive.evaluate(case_of(broken)).accepted
    assert naive.evaluate(case_of(HONEST[MEAN])).accepted


def _uid(pid: str) -> int:
    try:
        return os.stat(Path("/proc", pid)).st_uid
    except FileNotFoundError:
        return -1
