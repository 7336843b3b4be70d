"""The caches of a core, as the kernel tells them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from runners.host_files import HostFiles

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True)
class Cache:
    """One cache that holds data: its level, its size in bytes, the cores that share it."""

    level: int
    bytes: int
    shared: tuple[int, ...]


def caches_of(core: int, files: HostFiles | None = None) -> tuple[Cache, ...]:
    """The data caches of `core`, nearest first. Where the kernel tells none (some virtual machines), a guess: 32 KiB,
    512 KiB, and 32 MiB for all."""
    files = files or HostFiles()
    folder = f"/sys/devices/system/cpu/cpu{core}/cache"
    found = []
    for name in files.names(folder, "index*"):
        level, size = files.number(f"{folder}/{name}/level"), parse_size(files.text(f"{folder}/{name}/size"))
        if level is None or not size or files.text(f"{folder}/{name}/type") == "Instruction":
            continue
        found.append(Cache(level, size, files.cores(f"{folder}/{name}/shared_cpu_list") or (core,)))
    guess = (Cache(1, 32 << 10, (core,)), Cache(2, 512 << 10, (core,)), Cache(3, 32 << 20, ()))
    return tuple(sorted(found, key=lambda cache: cache.level)) or guess


def cached_bytes(cores: Iterable[int], files: HostFiles | None = None) -> int:
    """How much all caches of these cores hold together, in bytes."""
    return sum(cache.bytes for cache in {cache for core in cores for cache in caches_of(core, files)})


def parse_size(text: str | None) -> int:
    """``32K`` in bytes; 0 for what is no size."""
    found = re.fullmatch(r"(\d+)([KMG]?)", text or "")
    return int(found[1]) * _UNITS[found[2]] if found else 0
