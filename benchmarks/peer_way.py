"""The usual way to compare two kernels, as a process: what :mod:`aa_noise` compares the judge with.

``peer_way.py CORES PROBLEM FIRST SECOND`` pins itself to the contestant's cores, with as many threads, and loads both
kernels (files with a `custom_kernel`) in this one process. For every line ``INDEX SECONDS`` on its input it times one
of the problem's timed cases: all calls of the first, then all of the second, on the same inputs, each until the
standard error of the mean is below 0.1 % after at least three calls and 0.1 s, or for SECONDS. It answers with a line
of JSON: {"log_ratio", "low", "high", "calls"}; the interval is what both standard errors give.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from benchmarks.cold_way import kernel_of
from problems.loader import load

LEAST_CALLS, LEAST_SECONDS, ERROR_AIM = 3, 0.1, 0.001
QUANTILE = statistics.NormalDist().inv_cdf(0.975)
LOOK_EVERY = 16


@dataclass(frozen=True)
class Batch:
    """All calls of one kernel: mean seconds, its standard error as a share, and how many calls."""

    mean: float
    error: float
    calls: int


def timed(kernel: Callable[[Any], Any], data: Any, seconds: float) -> Batch:
    """Call `kernel` until the mean of its times is known, or time is up. The first call does not count."""
    kernel(data)
    times: list[float] = []
    begun = time.perf_counter()
    while True:
        before = time.perf_counter()
        kernel(data)
        now = time.perf_counter()
        times.append(now - before)
        late = now - begun >= seconds
        if len(times) < LEAST_CALLS or not (late or len(times) % LOOK_EVERY == 0):
            continue
        mean = statistics.fmean(times)
        error = statistics.stdev(times, mean) / math.sqrt(len(times)) / mean
        if late or (error < ERROR_AIM and now - begun >= LEAST_SECONDS):
            return Batch(mean, error, len(times))


def main() -> None:
    """Answer until there are no more lines."""
    cores = {int(core) for core in sys.argv[1].split(",")}
    os.sched_setaffinity(0, cores)
    torch.set_num_threads(len(cores))
    problem = load(Path(sys.argv[2]))
    kernels = [kernel_of(Path(name)) for name in sys.argv[3:5]]
    for line in sys.stdin:
        index, seconds = line.split()
        data = problem.inputs(dict(problem.spec.benchmarks[int(index)]), os.urandom(32))
        first, second = (timed(kernel, data, float(seconds)) for kernel in kernels)
        ratio = math.log(first.mean / second.mean)
        half = QUANTILE * math.hypot(first.error, second.error)
        answer = {
            "log_ratio": ratio,
            "low": ratio - half,
            "high": ratio + half,
            "calls": first.calls + second.calls,
        }
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
