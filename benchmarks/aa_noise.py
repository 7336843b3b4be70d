"""What the judge sees between two kernels that are the same, and how small a difference it tells apart.

Every trial judges the reference of a problem against itself, through the real judge: cells, stopped samples, fresh
inputs, checks; one case of vector_mean, one of qr. Beside it, in turns, the usual way (:mod:`peer_way`) compares the
same kernels in the same time. Then the same kernel with a delay is judged: a loop whose count of turns is chosen so
that the kernel takes a known share longer. How much a turn costs is found from judging a long delay.

The last line is JSON, over the trials of both cases:
"spread", "peer_spread": standard deviation of the estimated log-ratio (root mean square over the two cases);
"false_difference_rate", "peer_false_difference_rate": share of 95 % intervals that exclude 0, the truth;
"resolvable_slowdown": the smallest of the tried slowdowns that is told apart, on both cases, in at least nine of ten
trials: the interval excludes 0 and lies on the right side; null if none is.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import secrets
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from problems.spec import library
from runners.judge.local import judge
from runners.protocol import Brief, Limits, Mode, Report, Timing, Verdict
from runners.sandbox.cores import plan_cores
from runners.sandbox.warm import WarmServer

ROOT = Path(__file__).resolve().parents[1]
CASES: dict[str, dict[str, Any]] = {
    "basics/vector_mean": {"n": 1048576, "family": "integers"},
    "linalg/qr": {"batch": 64, "m": 64, "n": 64, "family": "mixed"},
}
LEVELS = (0.0025, 0.005, 0.01, 0.02, 0.04)
LEVEL_TRIALS = 10
TOLD_APART = 0.9
LONG_DELAY = 0.5
FIRST_TURNS = 20_000
KERNEL = "{reference}\n\n\ncustom_kernel = ref_kernel\n"
DELAYED = """{reference}


def custom_kernel(data):
    for _ in range({turns}):
        pass
    return ref_kernel(data)
"""


@dataclass(frozen=True)
class Trial:
    """One estimate of a log-ratio with its 95 % interval."""

    log_ratio: float
    low: float
    high: float

    @property
    def differs(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low > 0 or self.high < 0


@dataclass
class Bench:
    """One case: a problem package of its own with that case alone, and the ways to compare kernels on it."""

    name: str
    folder: Path
    reference: str
    warm: WarmServer
    seconds: float
    trials: list[Trial] = field(default_factory=list)
    peer_trials: list[Trial] = field(default_factory=list)

    def judged(self, source: str) -> Trial:
        """`source` against the reference, by the judge."""
        brief = Brief(
            mode=Mode.BENCHMARK,
            problem_path=str(self.folder),
            source=source,
            file_name="kernel.py",
            nonce=secrets.token_hex(32),
            limits=replace(Limits(), case_seconds=self.seconds),
        )
        timing = _timing(judge(brief, warm=self.warm))
        return Trial(timing.log_ratio, timing.low, timing.high)

    def same(self) -> Trial:
        """The reference against itself, by the judge."""
        return self.judged(KERNEL.format(reference=self.reference))

    def delayed(self, turns: int) -> Trial:
        """The reference, delayed by a loop of so many turns, against itself."""
        return self.judged(DELAYED.format(reference=self.reference, turns=turns))


class Peer:
    """The usual way, on one case, in a process of its own."""

    def __init__(self, bench: Bench, cores: Iterable[int]) -> None:
        kernel = bench.folder / "kernel.py"
        kernel.write_text(KERNEL.format(reference=bench.reference), encoding="utf-8")
        self._seconds = bench.seconds / 2
        self._process = subprocess.Popen(
            [
                sys.executable, str(ROOT / "benchmarks" / "peer_way.py"), ",".join(map(str, cores)),
                str(bench.folder), str(kernel), str(kernel),
            ],
            env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": str(len(list(cores)))},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def same(self) -> Trial:
        """The reference against itself: all of one, then all of the other."""
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the process has no pipes")
        self._process.stdin.write(f"0 {self._seconds}\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            sys.exit("the usual way ended without an answer")
        found = json.loads(line)
        return Trial(found["log_ratio"], found["low"], found["high"])

    def close(self) -> None:
        """End the process."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()


def _timing(report: Report) -> Timing:
    timings = [case.timing for case in report.cases if case.timing is not None]
    if report.verdict is not Verdict.PASSED or len(timings) != 1:
        sys.exit(f"the judge found an honest kernel {report.verdict}: {report.message} {report.detail}")
    return timings[0]


def make_package(slug: str, params: dict[str, Any], folder: Path) -> Path:
    """A copy of the library's problem `slug` whose one timed case is `params`."""
    source = library()[slug]
    made = folder / slug.rsplit("/", 1)[-1]
    made.mkdir()
    task = yaml.safe_load((source / "task.yml").read_text(encoding="utf-8"))
    task |= {"benchmarks": [params], "hidden": [], "tests": task["tests"][:1]}
    (made / "task.yml").write_text(yaml.safe_dump(task), encoding="utf-8")
    for name in ("reference.py", "statement.md"):
        (made / name).write_bytes((source / name).read_bytes())
    return made


def compare_same(benches: list[Bench], peers: dict[str, Peer], trials: int) -> None:
    """Both ways on both cases, in turns, in an order that changes."""
    order = random.SystemRandom()
    for number in range(1, trials + 1):
        for bench in benches:
            ways: list[tuple[list[Trial], Callable[[], Trial]]] = [
                (bench.trials, bench.same),
                (bench.peer_trials, peers[bench.name].same),
            ]
            order.shuffle(ways)
            for found, way in ways:
                found.append(way())
            ours, theirs = bench.trials[-1], bench.peer_trials[-1]
            say(f"{number:3} {bench.name:20} judge {shown(ours)}   usual way {shown(theirs)}")


def turns_for(bench: Bench) -> float:
    """How many turns of the loop delay the kernel by its own length."""
    turns = FIRST_TURNS
    while (found := math.expm1(bench.delayed(turns).log_ratio)) < LONG_DELAY and turns < FIRST_TURNS << 8:
        turns *= 2 if found > LONG_DELAY / 2 else 4
    return turns / max(found, 1e-9)


def told_apart(bench: Bench, turns: int, trials: int) -> float:
    """Share of trials that show the delay, ended early once nine of ten cannot be reached."""
    hits = 0
    for number in range(1, trials + 1):
        hits += bench.delayed(turns).low > 0
        if number - hits > (1 - TOLD_APART) * trials + 1e-9:
            break
    return hits / trials


def resolvable(benches: list[Bench], trials: int) -> float | None:
    """The smallest level that is told apart on all cases, by bisection: a longer delay is never harder to see."""
    whole = {bench.name: turns_for(bench) for bench in benches}
    low, high = 0, len(LEVELS)
    while low < high:
        middle = (low + high) // 2
        level = LEVELS[middle]
        seen = True
        for bench in benches:
            turns = round(level * whole[bench.name])
            rate = told_apart(bench, turns, trials)
            say(f"{bench.name:20} {level:.2%} slower ({turns} turns): told apart in {rate:.0%} of {trials}")
            seen = seen and rate >= TOLD_APART
            if not seen:
                break
        low, high = (low, middle) if seen else (middle + 1, high)
    return LEVELS[low] if low < len(LEVELS) else None


def spread(cases: list[list[Trial]]) -> float:
    """Root mean square over cases of the standard deviation over trials."""
    deviations = [statistics.stdev(trial.log_ratio for trial in trials) for trials in cases]
    return math.sqrt(statistics.fmean(value**2 for value in deviations))


def rate(cases: list[list[Trial]]) -> float:
    """Share of all trials whose interval excludes 0."""
    return statistics.fmean(trial.differs for trials in cases for trial in trials)


def shown(trial: Trial) -> str:
    """A trial in percent."""
    mark = "*" if trial.differs else " "
    return f"{trial.log_ratio:+8.3%} [{trial.low:+8.3%}, {trial.high:+8.3%}]{mark}"


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Measure, print a line a trial, and the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=20, help="A/A trials of each case and way (default 20)")
    usual = Limits().case_seconds
    parser.add_argument(
        "--seconds", type=float, default=usual, help=f"time budget of one trial (default {usual:g}, the judge's own)"
    )
    parser.add_argument("--quick", action="store_true", help="4 trials of 0.6 s: that it works, no more")
    options = parser.parse_args()
    trials, seconds = (4, 0.6) if options.quick else (max(2, options.trials), options.seconds)
    cores = plan_cores().contestant
    with (
        tempfile.TemporaryDirectory(prefix="kernelcup-aa-") as name,
        WarmServer(allow_no_memory_control=True) as warm,
    ):
        benches = []
        for slug, params in CASES.items():
            folder = make_package(slug, params, Path(name))
            reference = (folder / "reference.py").read_text(encoding="utf-8").rstrip()
            benches.append(Bench(slug, folder, reference, warm, seconds))
        peers = {bench.name: Peer(bench, cores) for bench in benches}
        try:
            compare_same(benches, peers, trials)
        finally:
            for peer in peers.values():
                peer.close()
        slowdown = resolvable(benches, min(LEVEL_TRIALS, trials))
    ours, theirs = [bench.trials for bench in benches], [bench.peer_trials for bench in benches]
    result = {
        "spread": round(spread(ours), 6),
        "peer_spread": round(spread(theirs), 6),
        "false_difference_rate": round(rate(ours), 4),
        "peer_false_difference_rate": round(rate(theirs), 4),
        "resolvable_slowdown": slowdown,
    }
    sys.stdout.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
