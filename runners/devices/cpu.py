"""The CPU device: what one run's cores can do at best, measured once on a host and kept.

Run as a program it measures and prints JSON; :func:`peaks` does that in a process of its own (torch isn't imported
here otherwise) and keeps the result in the user's cache folder, by processor, cores and torch version.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

HEADROOM = 1.25
"""Measured peaks are raised by this factor: a floor must be below what the best kernel could do, and a busy host
measures low."""

_SECONDS_EACH = 0.5
_BANDWIDTH_BYTES = 256 << 20
_MATRIX = 1024


def cpu_model() -> str:
    """The processor's name, as the kernel tells it."""
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found[1].strip() if found else platform.machine()


def peaks(cores: tuple[int, ...]) -> dict[str, float]:
    """`bytes_per_second` and `flops_per_second` of these cores. Raises subprocess.CalledProcessError."""
    path = _cache_path(len(cores))
    try:
        kept = json.loads(path.read_text())
        return {"bytes_per_second": kept["bytes_per_second"], "flops_per_second": kept["flops_per_second"]}
    except (OSError, ValueError, KeyError):
        pass
    command = [sys.executable, "-m", "runners.devices.cpu", ",".join(str(core) for core in cores)]
    measured: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}")
    part.write_text(json.dumps(measured))
    part.replace(path)
    return measured


def measure(cores: tuple[int, ...]) -> dict[str, float]:
    """Measure on `cores`: the best rate of several memory-bound and compute-bound operations, with headroom."""
    os.sched_setaffinity(0, set(cores))
    import torch

    torch.set_num_threads(len(cores))
    source = torch.ones(_BANDWIDTH_BYTES // 4)
    target = torch.empty_like(source)
    matrix = torch.rand(_MATRIX, _MATRIX)
    moved = float(_BANDWIDTH_BYTES)
    bandwidth = max(
        moved / _best(lambda: source.sum()),
        moved / _best(lambda: torch.dot(source, source)),
        moved / _best(lambda: source.amax()),
        2 * moved / _best(lambda: target.copy_(source)),
    )
    flops = 2.0 * _MATRIX**3 / _best(lambda: matrix @ matrix)
    return {"bytes_per_second": bandwidth * HEADROOM, "flops_per_second": flops * HEADROOM}


def _best(operation: Callable[[], object]) -> float:
    best, end = float("inf"), time.perf_counter() + _SECONDS_EACH
    while time.perf_counter() < end:
        begin = time.perf_counter()
        operation()
        best = min(best, time.perf_counter() - begin)
    return best


def _cache_path(cores: int) -> Path:
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kernelcup"
    facts = "\n".join(
        line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith(("model name", "flags"))
    )
    key = hashlib.sha256(f"{facts} {cores} {importlib.metadata.version('torch')}".encode()).hexdigest()[:16]
    return folder / f"cpu-peaks-{key}.json"


if __name__ == "__main__":
    print(json.dumps(measure(tuple(int(core) for core in sys.argv[1].split(",")))))
