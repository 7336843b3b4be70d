"""What one run's cores can do at best: bytes moved at each level of memory, and floating-point operations.

Run as a program, ``python -m runners.devices.roofline 1,2,3`` measures those cores and prints JSON. It takes a few
seconds and a process of its own: it binds itself to the cores and starts threads.

Every rate is the best of several operations, and of many short tries, for it is used as a bound that no kernel can
beat. What one core does by itself (arithmetic, private caches) is measured on one core, by its CPU clock, which stands
still while something else has the core, and counted once for each core; what cores share is measured with all of them.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial

import torch

from runners.devices.caches import Cache, caches_of
from runners.host_files import HostFiles
from runners.judge.evict import Evictor

Rates = dict[str, dict[str, float]]

SECONDS_EACH = 0.1
COLD_ROUNDS = 8
COLD_BYTES = (1 << 20, 8 << 20, 32 << 20)
MATRICES = (128, 256, 512, 1024)
DTYPES = (torch.float32, torch.float64, torch.bfloat16)

_FLOAT = 4
_LINE = 64
_WINDOWS = 32
_WINDOW_SPREAD = 2 * _WINDOWS * _LINE
_HOPELESS = 0.25


def measure(cores: tuple[int, ...], seconds: float = SECONDS_EACH) -> dict[str, Rates]:
    """Measure `cores`: ``bytes_per_second`` by level ("L1", … "DRAM", "cold") and operation, ``flops_per_second`` by
    dtype under "matmul". `seconds` is how long each operation is tried."""
    writer = next((core for core in sorted(os.sched_getaffinity(0)) if core not in cores), cores[0])
    os.sched_setaffinity(0, set(cores))
    levels = caches_of(cores[0])
    count = len(cores)
    moved: Rates = {}
    torch.set_num_threads(1)
    flops = {name: rate * count for name, rate in _arithmetic(seconds).items()}
    for cache in levels[:-1]:
        moved[f"L{cache.level}"] = {name: rate * count for name, rate in _private(cache, seconds).items()}
    torch.set_num_threads(count)
    clock = time.thread_time if count == 1 else time.perf_counter
    last = levels[-1]
    moved[f"L{last.level}"] = _streams(last.bytes // 4, last.bytes // 4, seconds, clock)
    moved["DRAM"] = _streams(_memory_bytes(last), _chunk_bytes(count), seconds, clock)
    moved["cold"] = _cold(cores, writer, clock)
    return {"bytes_per_second": moved, "flops_per_second": {"matmul": flops}}


def _arithmetic(seconds: float) -> dict[str, float]:
    """Operations a second of one core in matrix products. What is far behind at one size isn't tried at the next."""
    found: dict[str, float] = {}
    for dtype in DTYPES:
        name = str(dtype).removeprefix("torch.")
        for size in MATRICES:
            matrix = torch.rand(size, size).to(dtype)
            rate = 2.0 * size**3 / _best(partial(torch.matmul, matrix, matrix), seconds, time.thread_time)
            found[name] = max(rate, found.get(name, 0.0))
            if rate < _HOPELESS * max(found.values()):
                break
    return found


def _private(cache: Cache, seconds: float) -> dict[str, float]:
    """Bytes a second of one core within `cache`.

    One operation would be over before it is measured, so each goes a thousand times over windows of the same memory,
    each 64 bytes further on; source and target together fill three quarters of the cache.
    """
    floats = max(256, (cache.bytes * 3 // 8 - _WINDOW_SPREAD) // _FLOAT)
    source, target = _windows(floats), _windows(floats)
    moved = float(_WINDOWS**2 * floats * _FLOAT)
    clock = time.thread_time
    return {
        "copy": 2 * moved / _best(lambda: target.copy_(source), seconds, clock),
        "sum": moved / _best(lambda: source.sum(-1), seconds, clock),
        "max": moved / _best(lambda: source.amax(-1), seconds, clock),
        "write": moved / _best(lambda: target.fill_(1.0), seconds, clock),
    }


def _windows(floats: int) -> torch.Tensor:
    step = _LINE // _FLOAT
    return torch.ones(floats + _WINDOW_SPREAD // _FLOAT).as_strided((_WINDOWS, _WINDOWS, floats), (step, step, 1))


def _streams(total: int, chunk: int, seconds: float, clock: Callable[[], float]) -> dict[str, float]:
    """Bytes a second of all threads over `total` bytes, walked through in chunks, in turn: short operations get
    through between two interruptions, and a chunk is met again only after all others."""
    source = torch.ones(total // _FLOAT)
    target = torch.zeros(total // _FLOAT)
    size = min(chunk, total) // _FLOAT
    starts = range(0, source.numel() - size + 1, size)
    moved = float(size * _FLOAT)

    def over(operation: Callable[[torch.Tensor, torch.Tensor], object]) -> float:
        turns = itertools.cycle((source[at : at + size], target[at : at + size]) for at in starts)
        return _best(lambda: operation(*next(turns)), seconds, clock)

    return {
        "sum": moved / over(lambda read, _: read.sum()),
        "max": moved / over(lambda read, _: read.amax()),
        "dot": moved / over(lambda read, _: torch.dot(read, read)),
        "copy": 2 * moved / over(lambda read, write: write.copy_(read)),
    }


def _cold(cores: tuple[int, ...], writer: int, clock: Callable[[], float]) -> dict[str, float]:
    """Bytes a second of reading what another core has just written and the judge's eviction has swept: what a
    contestant meets. Where eviction leaves something in a cache, it shows here."""
    evict = Evictor()
    other = torch.ones(1 << 20)
    found: dict[str, float] = {}
    for size in COLD_BYTES:
        data = torch.ones(size // _FLOAT)
        best = float("inf")
        for turn in range(COLD_ROUNDS):
            torch.set_num_threads(1)
            os.sched_setaffinity(0, {writer})
            data.fill_(turn)
            evict()
            os.sched_setaffinity(0, set(cores))
            torch.set_num_threads(len(cores))
            other.sum()
            begin = clock()
            data.sum()
            best = min(best, clock() - begin)
        found[f"sum of {size >> 20} MiB"] = size / best
    return found


def _best(operation: Callable[[], object], seconds: float, clock: Callable[[], float]) -> float:
    """The shortest of many tries, the first not counted; at least three, however long they take."""
    operation()
    best, end = float("inf"), time.perf_counter() + seconds
    tries = 0
    while tries < 3 or time.perf_counter() < end:
        begin = clock()
        operation()
        best = min(best, clock() - begin)
        tries += 1
    return max(best, 1e-9)


def _memory_bytes(last: Cache) -> int:
    """Four times the last-level cache, and no more than a sixteenth of what memory is free."""
    text = HostFiles().fields("/proc/meminfo").get("MemAvailable", "").split()
    free = int(text[0]) << 10 if text else 4 << 30
    return max(16 << 20, min(max(4 * last.bytes, 128 << 20), free // 16))


def _chunk_bytes(cores: int) -> int:
    return max(16 << 20, cores << 22)


def _main(arguments: Iterable[str]) -> None:
    cores = tuple(int(core) for core in ",".join(arguments).split(","))
    print(json.dumps(measure(cores)))


if __name__ == "__main__":
    _main(sys.argv[1:])
