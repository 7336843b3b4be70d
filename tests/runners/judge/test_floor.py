"""Floors: the arithmetic of both problems' costs, and bounds that no honest kernel can be below."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from guard.decide import decide
from problems.loader import load
from problems.spec import cost_of, library, read_spec
from runners.devices import cpu
from runners.judge.cases import JudgeCase
from runners.judge.floor import SWEPT_BYTES, Peaks, least_seconds
from runners.judge.local import judge
from runners.protocol import Brief, CaseSpec, Mode, Param, Report, Stage, Verdict
from runners.sandbox.cores import plan_cores
from runners.sandbox.warm import WarmServer
from tests.runners.judge.conftest import QUICK

PEAKS = Peaks(bytes_per_second=20e9, flops_per_second=100e9, cached_bytes_per_second=200e9, cache_bytes=32 << 20)
MEAN = "def custom_kernel(data):\n    return data.mean().reshape(1)\n"


def floor(problem: str, **params: Param) -> float | None:
    return JudgeCase(load(library()[problem]), CaseSpec(0, params), Stage.TIME, bytes(32)).floor_seconds(PEAKS)


@pytest.mark.parametrize("n", [1, 1000, 16_777_216])
def test_the_mean_adds_every_value_and_reads_it_once(n: int) -> None:
    spec = read_spec(library()["basics/vector_mean"])
    assert cost_of(spec, {"n": n, "family": "normal"}) == (n, 4 * n + 4)


@pytest.mark.parametrize(("batch", "m", "n"), [(1, 1, 1), (64, 64, 64), (16, 256, 64)])
def test_qr_costs_householders_operations_and_reads_and_writes_the_matrix(batch: int, m: int, n: int) -> None:
    flops, moved = cost_of(read_spec(library()["linalg/qr"]), {"batch": batch, "m": m, "n": n, "family": "mixed"})
    assert flops == pytest.approx(batch * (2 * m * n**2 - 2 * n**3 / 3))
    reads, factors, scales = m * n, m * n, n
    assert moved == 4 * batch * (reads + factors + scales)


def test_householders_operations_are_those_of_its_steps() -> None:
    m, n = 96, 64
    # Step k applies a reflection to the columns right of it: a product and an update, a multiply and an add each.
    steps = sum(4 * (m - k) * (n - k) for k in range(n))
    flops, _ = cost_of(read_spec(library()["linalg/qr"]), {"batch": 1, "m": m, "n": n, "family": "mixed"})
    assert flops is not None
    assert 0.95 * steps < flops <= steps


def test_a_long_vector_comes_from_memory() -> None:
    n = 1 << 24
    assert floor("basics/vector_mean", n=n, family="integers") == pytest.approx(4 * n / 20e9)


def test_a_small_qr_is_bound_by_its_arithmetic_and_its_outputs_may_stay_in_a_cache() -> None:
    params: dict[str, Param] = {"batch": 8, "m": 256, "n": 256, "family": "mixed"}
    flops = 8 * (2 * 256**3 - 2 * 256**3 / 3)
    assert floor("linalg/qr", **params) == pytest.approx(flops / 100e9)
    flat: dict[str, Param] = {"batch": 512, "m": 256, "n": 2, "family": "mixed"}
    assert floor("linalg/qr", **flat) == pytest.approx(4 * 512 * 256 * 2 / 20e9)


def test_what_chance_may_leave_in_a_cache_is_bound_by_the_fastest_cache() -> None:
    n = SWEPT_BYTES // 4
    assert floor("basics/vector_mean", n=n, family="integers") == pytest.approx(max((4 * n + 4) / 200e9, n / 100e9))
    assert least_seconds(PEAKS, None, SWEPT_BYTES + 4, 4) == pytest.approx((SWEPT_BYTES + 4) / 200e9)
    assert least_seconds(PEAKS, None, SWEPT_BYTES + 8, 4) == pytest.approx((SWEPT_BYTES + 4) / 20e9)


def test_outputs_that_no_cache_holds_go_to_memory() -> None:
    huge = 1 << 30
    assert least_seconds(PEAKS, None, huge, huge) == pytest.approx((huge - (32 << 20)) / 20e9)
    assert least_seconds(PEAKS, None, 1 << 20, 1 << 20) == pytest.approx((1 << 20) / 200e9)


def test_a_cost_that_leaves_outputs_out_gives_no_negative_reads() -> None:
    assert least_seconds(PEAKS, None, 100.0, 1e9) == pytest.approx(100 / 200e9)


def test_without_costs_or_rates_there_is_no_floor() -> None:
    assert least_seconds(PEAKS, None, None, 0) is None
    case = JudgeCase(load(library()["basics/vector_mean"]), CaseSpec(0, {"n": 5}), Stage.TIME, bytes(32))
    assert case.floor_seconds(None) is None


@pytest.fixture
def timed(warm: WarmServer) -> Callable[[dict[str, float]], Report]:
    """A benchmark of a mean with given rates."""

    def run(peaks: dict[str, float]) -> Report:
        folder = str(library()["basics/vector_mean"])
        return judge(Brief(Mode.BENCHMARK, folder, MEAN, "submission.py", "ab" * 32, QUICK), warm=warm, peaks=peaks)

    return run


def test_the_report_tells_the_rates_and_the_guard_rejects_what_is_below_half_the_floor(
    timed: Callable[[dict[str, float]], Report],
) -> None:
    report = timed({"bytes_per_second": 1e8, "flops_per_second": 1e15})
    assert report.verdict is Verdict.PASSED, report.message + report.detail
    assert report.environment["peak_bandwidth"] == "0.1 GB/s"
    assert report.environment["peak_flops"] == "1e+06 GFLOP/s"
    times = [case.timing for case in report.cases if case.timing is not None]
    assert [timing.floor_seconds for timing in times] == [
        pytest.approx(4 * n / 1e8) for n in (1048576, 4194333, 16777216)
    ]
    judgement = decide(MEAN, "submission.py", report)
    assert judgement.outcome == "rejected"
    assert "behaviour.below-floor" in {hit.rule for hit in judgement.hits}


@pytest.mark.timing
def test_an_honest_kernel_is_above_its_floor(timed: Callable[[dict[str, float]], Report]) -> None:
    report = timed(cpu.peaks(plan_cores().contestant))
    shares = [case.timing.floor_seconds / case.timing.seconds for case in report.cases if case.timing]
    assert all(0 < share < 1 for share in shares), shares
    assert decide(MEAN, "submission.py", report).outcome != "rejected"
