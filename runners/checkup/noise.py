"""How much times differ here that should not: a kernel raced against itself through the real judge."""

from __future__ import annotations

import math
import secrets
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from problems.spec import library
from runners.checkup.line import Line, line
from runners.judge.local import judge
from runners.protocol import Brief, Limits, Mode, Timing, Verdict
from runners.sandbox.warm import WarmServer

PROBLEM = "basics/vector_mean"
QUIET_SPREAD = 0.02
QUIET_HALF_WIDTH = 0.005
"""The interval that a run is to reach; a wider one is shown as noisy."""

_NORMAL_IQR = 1.349


class NoiseFailed(Exception):
    """The race could not be held; the message says why."""


@dataclass(frozen=True)
class CaseNoise:
    """One case of the race. `spread` is the robust standard deviation of the pairs' log-ratios, `offset` their centre
    (the truth is 0), `half_width` that of its 95 % interval."""

    label: str
    pairs: int
    spread: float
    offset: float
    half_width: float

    @property
    def differs(self) -> bool:
        """Whether the interval excludes the truth: a difference that is none. Five in a hundred do on a fair host."""
        return abs(self.offset) > self.half_width


def measure_noise(seconds: float, allow_no_memory_control: bool = False) -> list[CaseNoise]:
    """Race the reference of a problem against itself, `seconds` for each of its timed cases. Raises NoiseFailed."""
    from problems.loader import load

    folder = library()[PROBLEM]
    source = load(folder).anchor_source()
    brief = Brief(
        Mode.BENCHMARK, str(folder), source, "submission.py", secrets.token_hex(32), Limits(case_seconds=seconds)
    )
    with WarmServer(allow_no_memory_control=allow_no_memory_control) as warm:
        report = judge(brief, warm=warm)
    if report.verdict is not Verdict.PASSED:
        raise NoiseFailed(f"{report.verdict}: {report.message} {report.detail}".strip())
    return [noise_of(case.label, case.timing) for case in report.cases if case.timing is not None]


def noise_of(label: str, timing: Timing) -> CaseNoise:
    """What a timing of a kernel against itself says of the host."""
    pairs = zip(timing.samples, timing.anchor_samples, strict=True)
    ratios = [math.log(mine / anchor) for mine, anchor in pairs if mine > 0 and anchor > 0]
    return CaseNoise(label, timing.pairs, _spread(ratios), timing.log_ratio, (timing.high - timing.low) / 2)


def noise_lines(cases: Sequence[CaseNoise]) -> list[Line]:
    """The race as lines of the check-up."""
    advice = "quieten the host first (the lines above), then repeat; a busy host, or a neighbour's, shows here"
    return [
        line(
            "timing", f"noise at {case.label}",
            f"spread {case.spread:.2%} over {case.pairs} pairs; a kernel against itself: {case.offset:+.2%} ± "
            f"{case.half_width:.2%}" + (", a difference that is none" if case.differs else ""),
            advice, good=case.spread <= QUIET_SPREAD and case.half_width <= QUIET_HALF_WIDTH,
        )
        for case in cases
    ]  # fmt: skip


def _spread(ratios: Sequence[float]) -> float:
    if len(ratios) < 2:
        return math.inf
    low, _, high = statistics.quantiles(ratios, n=4)
    return (high - low) / _NORMAL_IQR
