"""The CPU device: what one run's cores can do at best, measured once on a host and kept on its disk.

Imports no torch: :mod:`runners.devices.roofline` measures, in a process of its own.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import logging
import math
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeGuard

from runners.devices.caches import cached_bytes, caches_of
from runners.host_files import HostFiles

log = logging.getLogger(__name__)

FORMAT = 2
"""Counted up whenever what is kept, or how it is measured, changes."""

HEADROOM = 1.25
"""Measured rates are raised by this factor: a floor must be below what the best kernel can do, while torch's own
operations miss the best by some percent, and a busy host measures low."""

MEMORY_LEVELS = ("DRAM", "cold")

Record = dict[str, Any]


def cpu_model(files: HostFiles | None = None) -> str:
    """The processor's name, as the kernel tells it."""
    return (files or HostFiles()).fields("/proc/cpuinfo").get("model name") or platform.machine()


def peaks(cores: tuple[int, ...]) -> dict[str, float]:
    """The rates that floors are made of, with headroom; the fields of :class:`runners.judge.floor.Peaks`.

    Measures where this host has kept none. Raises RuntimeError if that fails.
    """
    return peaks_of(roofline(cores))


def peaks_of(record: Record) -> dict[str, float]:
    """Of every kind the best rate in a record of :func:`roofline`, raised by :data:`HEADROOM`."""
    moved: dict[str, dict[str, float]] = record["bytes_per_second"]
    memory = max(max(moved[level].values()) for level in MEMORY_LEVELS)
    cached = max(max(rates.values()) for rates in moved.values())
    flops = max(max(rates.values()) for rates in record["flops_per_second"].values())
    return {
        "bytes_per_second": memory * HEADROOM,
        "cached_bytes_per_second": cached * HEADROOM,
        "cache_bytes": float(record["facts"]["cache_bytes"]),
        "flops_per_second": flops * HEADROOM,
    }


def roofline(
    cores: tuple[int, ...], folder: Path | None = None, measure: Callable[[tuple[int, ...]], Record] | None = None
) -> Record:
    """The rates of `cores` as they were measured, with the facts they hold for: kept ones, or new ones.

    A record that is damaged, or was made under other facts or another format, is measured anew. `folder` is the user's
    cache folder; one that cannot be written to costs a measurement each time.
    """
    facts = facts_of(cores)
    path = (folder or _cache_folder()) / f"cpu-roofline-{_key(facts)}.json"
    kept = _read(path, facts)
    if kept is not None:
        return kept
    rates = (measure or _measure)(cores)
    record = {"format": FORMAT, "facts": facts, "measured_at": datetime.now(UTC).isoformat(timespec="seconds"), **rates}
    if not _is_sound(record, facts):
        raise RuntimeError(f"measuring cores {cores} gave no sound rates: {rates}")
    _write(path, record)
    return record


def facts_of(cores: tuple[int, ...], files: HostFiles | None = None) -> dict[str, Any]:
    """What rates hold for: the processor and what it can do, the cores and their caches, the version of torch."""
    files = files or HostFiles()
    told = files.fields("/proc/cpuinfo")
    return {
        "processor": cpu_model(files),
        "flags": " ".join(sorted((told.get("flags") or told.get("Features") or "").split())),
        "cores": list(cores),
        "caches": [[cache.level, cache.bytes] for core in cores for cache in caches_of(core, files)],
        "cache_bytes": cached_bytes(cores, files),
        "torch": importlib.metadata.version("torch"),
    }


def _measure(cores: tuple[int, ...]) -> Record:
    command = [sys.executable, "-m", "runners.devices.roofline", ",".join(str(core) for core in cores)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"the device could not be measured: {done.stderr.strip()[-2000:]}")
    measured: Record = json.loads(done.stdout)
    return measured


def _read(path: Path, facts: dict[str, Any]) -> Record | None:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return record if _is_sound(record, facts) else None


def _write(path: Path, record: Record) -> None:
    part = path.with_suffix(f".{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(record, indent=1), encoding="utf-8")
        part.replace(path)
    except OSError as error:
        log.warning("the device's rates cannot be kept, and are measured again next time: %s", error)


def _is_sound(record: Any, facts: dict[str, Any]) -> bool:
    if not isinstance(record, dict) or record.get("format") != FORMAT or record.get("facts") != facts:
        return False
    moved, flops = record.get("bytes_per_second"), record.get("flops_per_second")
    return _are_rates(moved) and _are_rates(flops) and set(MEMORY_LEVELS) <= set(moved)


def _are_rates(rates: Any) -> TypeGuard[dict[str, dict[str, float]]]:
    if not isinstance(rates, dict) or not rates:
        return False
    groups = list(rates.values())
    return all(isinstance(group, dict) and group for group in groups) and all(
        isinstance(rate, float) and math.isfinite(rate) and rate > 0 for group in groups for rate in group.values()
    )


def _cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kernelcup"


def _key(facts: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]
