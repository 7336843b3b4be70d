"""What has been measured of one timed case, and what follows from it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from runners.judge import statistics
from runners.judge.party import Sample
from runners.judge.statistics import Interval
from runners.protocol import Timing

STOP_LATENCY_SECONDS = 40e-6
"""What a flag lowered early can gain in a sample: the time a stop takes to be confirmed, 25 to 40 µs measured."""

MIN_CONTROLS = 8
"""Fewer control pairs than this say nothing about the anchor."""


@dataclass(frozen=True)
class Plan:
    """How a case is sampled: `calls` to a sample, revealed together or, with `one_by_one`, each after the last."""

    calls: int
    one_by_one: bool = False

    @property
    def reveal(self) -> str:
        """In the word that the report uses."""
        return "single" if self.calls == 1 else "one by one" if self.one_by_one else "together"


@dataclass
class Series:
    """The pairs of one case. Times are seconds for one call."""

    plan: Plan
    log_ratios: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    anchor_seconds: list[float] = field(default_factory=list)
    cpu_seconds: list[float] = field(default_factory=list)
    anchor_cpu_seconds: list[float] = field(default_factory=list)
    controls: list[float] = field(default_factory=list)
    error: float = 0.0
    anchor_error: float | None = None

    def add(self, contestant: Sample, anchor: Sample) -> None:
        """Keep a pair."""
        calls = self.plan.calls
        self.log_ratios.append(math.log(contestant.window.wall_ns / anchor.window.wall_ns))
        self.seconds.append(contestant.window.wall_ns / 1e9 / calls)
        self.anchor_seconds.append(anchor.window.wall_ns / 1e9 / calls)
        self.cpu_seconds.append(contestant.window.cpu_ns / 1e9 / calls)
        self.anchor_cpu_seconds.append(anchor.window.cpu_ns / 1e9 / calls)

    def add_control(self, after_contestant: Sample, after_anchor: Sample) -> None:
        """Keep a control pair: the anchor right after the contestant, and right after itself, on the same inputs."""
        self.controls.append(math.log(after_contestant.window.wall_ns / after_anchor.window.wall_ns))

    def interval(self, rng: np.random.Generator) -> Interval:
        """The estimate of the log-ratio so far."""
        return statistics.estimate(self.log_ratios, rng)

    def anchor_slowdown(self, rng: np.random.Generator) -> float:
        """By what share the contestant surely slows the anchor that follows it; 0 where that is not sure."""
        if len(self.controls) < MIN_CONTROLS:
            return 0.0
        return max(0.0, math.expm1(statistics.estimate(self.controls, rng).low))

    def timing(self, interval: Interval, floor_seconds: float | None, rng: np.random.Generator) -> Timing:
        """All of it, for the report."""
        return Timing(
            pairs=len(self.log_ratios),
            calls=self.plan.calls,
            reveal=self.plan.reveal,
            seconds=_centre(self.seconds),
            anchor_seconds=_centre(self.anchor_seconds),
            log_ratio=interval.estimate,
            low=interval.low,
            high=interval.high,
            noisy=interval.half_width > statistics.HALF_WIDTH_AIM,
            mean_excess=statistics.excess(self.cpu_seconds, self.anchor_cpu_seconds, rng),
            anchor_slowdown=self.anchor_slowdown(rng),
            resolution_seconds=STOP_LATENCY_SECONDS / self.plan.calls,
            floor_seconds=floor_seconds,
            samples=tuple(self.seconds),
            anchor_samples=tuple(self.anchor_seconds),
        )


def _centre(values: list[float]) -> float:
    return float(statistics.hodges_lehmann(np.asarray([values], dtype=np.float64))[0])
