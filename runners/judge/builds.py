"""Builds kept across runs: the very same submission starts with the /build that it left in an earlier run.

What one run leaves for another is a way to cheat unless three things hold. They do:

- *Nothing of anyone else's* (cheat 85, build-plant). An entry is found by a digest over the whole submission, its
  problem package, the processor and every tool's version. It is copied in before the submission is loaded, never
  mounted, and no cell can reach the folder of entries.
- *Nothing secret.* Hidden shapes are the same in each run of a board, so a kernel could write them down in one run
  and be made for them in the next. An entry is therefore what /build held after the public tests, before the first
  hidden shape is met. What is built for the timed shapes is built anew in each run. Values come from each run's own
  nonce: stored answers answer nothing.
- *No ratchet.* An entry comes from a run that started with an empty /build and passed its tests, and is never
  replaced: a kernel that tunes itself can't gain by being run again and again.

A kept build can be broken through no fault of the author, say by a compiler that was still writing. A run that fails
its load or its tests on one drops it and ends as our fault: the service then judges it again, from scratch.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import logging
import os
import secrets
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from problems.model import SpecError
from problems.package import digest, pack
from runners.devices.cpu import facts_of
from runners.protocol import Brief
from runners.sandbox import archive
from runners.sandbox.archive import Allowance, ArchiveError

log = logging.getLogger(__name__)

FORMAT = "1"
ENTRY_BYTES, ENTRY_FILES = 256 << 20, 4096
"""A build that is larger is not kept."""

MOST_ENTRIES = 512
_ASIDE_SECONDS = 3600
_CHUNK = 1 << 20
_DIGEST_BYTES = 32
_TOOLS = ("cc", "c++", "gcc", "g++", "clang", "clang++", "ld", "as", "ninja", "nvcc", "openssl")
_ENVIRONMENT = ("TRITON_INTERPRET", "CUDA_HOME", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH")


@dataclass(frozen=True)
class BuildStore:
    """Where a host keeps builds, and how much of its disk they may take."""

    folder: str
    most_bytes: int

    def to_json(self) -> dict[str, Any]:
        """For the message to the judge."""
        return asdict(self)

    def restore(self, key: str, folder: Path) -> bool:
        """Put the entry `key` into `folder`, a cell's untouched /build. False if there is none, or it is damaged."""
        path = self._path(key)
        try:
            with path.open("rb") as entry:
                expected = entry.read(_DIGEST_BYTES)
                if _digest_of_rest(entry) == expected:
                    entry.seek(_DIGEST_BYTES)
                    archive.unpack(entry, folder, folder.stat().st_uid, Allowance(ENTRY_FILES, ENTRY_BYTES))
                    os.utime(path)
                    return True
        except FileNotFoundError:
            return False
        except (OSError, ArchiveError) as error:
            log.warning("a kept build could not be used: %s", error)
        self.drop(key)
        return False

    def keep(self, key: str, folder: Path) -> None:
        """Make what is in `folder` the entry `key`, if there is none. What can't be kept is not; nothing is raised."""
        path = self._path(key)
        if path.exists():
            return
        aside = path.with_name(f".new-{os.getpid()}-{secrets.token_hex(4)}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with open(os.open(aside, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b") as entry:
                entry.write(bytes(_DIGEST_BYTES))
                files = archive.pack(folder, entry, Allowance(ENTRY_FILES, min(ENTRY_BYTES, self.most_bytes)))
                entry.seek(_DIGEST_BYTES)
                found = _digest_of_rest(entry)
                entry.seek(0)
                entry.write(found)
            if files:
                aside.rename(path)
                self._evict()
        except (OSError, ArchiveError) as error:
            log.info("a build is not kept: %s", error)
        finally:
            with contextlib.suppress(OSError):
                aside.unlink(missing_ok=True)

    def drop(self, key: str) -> None:
        """Forget an entry."""
        with contextlib.suppress(OSError):
            self._path(key).unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return Path(self.folder, key)

    def _evict(self) -> None:
        """Remove what was not used for longest, until the others are few and small enough."""
        kept_bytes = 0
        for number, (path, size) in enumerate(self._newest_first()):
            kept_bytes += size
            if number >= MOST_ENTRIES or kept_bytes > self.most_bytes:
                path.unlink(missing_ok=True)

    def _newest_first(self) -> Iterator[tuple[Path, int]]:
        found = []
        for path in Path(self.folder).iterdir():
            with contextlib.suppress(FileNotFoundError):
                info = path.lstat()
                if not path.name.startswith("."):
                    found.append((info.st_mtime_ns, path, info.st_size))
                elif info.st_mtime < time.time() - _ASIDE_SECONDS:
                    path.unlink()
        return ((path, size) for _, path, size in sorted(found, reverse=True))


class RunBuild:
    """The kept build of one run: restored before its submission is loaded, kept once its tests have passed."""

    def __init__(self, store: BuildStore | None, brief: Brief, folder: Path, cores: tuple[int, ...]) -> None:
        self._store = store
        self._folder = folder
        self._key = key_of(brief, cores) if store is not None else None
        self.restored = False

    def restore(self) -> None:
        """Put into /build what an earlier run of the same submission left."""
        if self._store is not None and self._key is not None:
            self.restored = self._store.restore(self._key, self._folder)

    def keep(self) -> None:
        """Keep /build as it is. To be called before the submission meets anything secret."""
        if self._store is not None and self._key is not None and not self.restored:
            self._store.keep(self._key, self._folder)

    def drop(self) -> None:
        """The restored build did not do."""
        if self._store is not None and self._key is not None:
            self._store.drop(self._key)


def key_of(brief: Brief, cores: tuple[int, ...]) -> str | None:
    """The SHA-256 of all that a build can depend on, without the mode of the run; None if the problem has no digest."""
    try:
        package = digest(pack(Path(brief.problem_path)))
    except (OSError, SpecError):
        return None
    parts = {"source": brief.source, "file_name": brief.file_name, "package": package, "host": host_facts(cores)}
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@functools.cache
def host_facts(cores: tuple[int, ...]) -> str:
    """All of this host that a build can depend on, as text. Some 10 ms the first time."""
    facts = {
        "format": FORMAT,
        "python": sys.version,
        "prefix": sys.prefix,
        "packages": _installed(),
        "tools": [_tool(name) for name in _TOOLS],
        "environment": {name: os.environ.get(name) for name in _ENVIRONMENT},
        "device": facts_of(cores),
    }
    return json.dumps(facts, sort_keys=True)


def _installed() -> list[str]:
    """Names and versions of the distributions that can be imported, as their folders tell them."""
    found: set[str] = set()
    for folder in sys.path:
        with contextlib.suppress(OSError):
            found.update(name for name in os.listdir(folder or ".") if name.endswith((".dist-info", ".egg-info")))
    return sorted(found)


def _tool(name: str) -> list[Any]:
    """Which program `name` is, without starting it."""
    path = shutil.which(name)
    if path is None:
        return [name]
    real = Path(path).resolve()
    info = real.stat()
    return [name, str(real), info.st_size, info.st_mtime_ns]


def _digest_of_rest(entry: IO[bytes]) -> bytes:
    found = hashlib.sha256()
    while chunk := entry.read(_CHUNK):
        found.update(chunk)
    return found.digest()
