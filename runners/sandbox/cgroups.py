"""Control groups: memory and process limits of a cell, version 1 and 2.

The first attach in a while costs about 14 ms (the kernel waits for a grace period), the next ones well under one, so
a cell is attached to the few hierarchies that it needs while it prepares itself.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

PREFIX = "kernelcup-"
EMPTY_SECONDS = 5.0
_HOST_LEAF = f"{PREFIX}host"
"""Version 2 has processes in leaves only: where those go that were in the group that now holds the cells'."""


@dataclass(frozen=True)
class Hierarchies:
    """Where groups are made: the folder of our own group, for each controller; equal for all under version 2."""

    version: int
    memory: Path
    pids: Path | None

    def folders(self) -> tuple[Path, ...]:
        """Every folder that a cell needs a group in, memory first."""
        if self.pids is None or self.pids == self.memory:
            return (self.memory,)
        return (self.memory, self.pids)


@functools.cache
def hierarchies() -> Hierarchies | None:
    """The usable hierarchies of this host, tried by making a group; None if memory cannot be limited."""
    mounts = _mounts()
    own = _own_paths()
    memory = _folder(mounts, own, "memory")
    if memory is not None and _usable(memory, "memory.limit_in_bytes"):
        pids = _folder(mounts, own, "pids")
        return Hierarchies(1, memory, pids if pids is not None and _usable(pids, "pids.max") else None)
    unified = _folder(mounts, own, "")
    if unified is not None and _delegate(unified) and _usable(unified, "memory.max"):
        return Hierarchies(2, unified, unified if _usable(unified, "pids.max") else None)
    return None


def _mounts() -> dict[str, tuple[str, str]]:
    """Controller ("" for version 2) -> (mount point, root of the mount)."""
    found: dict[str, tuple[str, str]] = {}
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
        fields, _, rest = line.partition(" - ")
        kind, _, options = rest.split(" ", 2)
        root, point = fields.split()[3:5]
        if kind == "cgroup2":
            found[""] = (point, root)
        elif kind == "cgroup":
            for name in options.split(","):
                found[name] = (point, root)
    return found


def _own_paths() -> dict[str, str]:
    """Controller ("" for version 2) -> the group of this process."""
    paths: dict[str, str] = {}
    for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
        _, names, path = line.split(":", 2)
        for name in names.split(","):
            paths[name] = path
    return paths


def _folder(mounts: dict[str, tuple[str, str]], own: dict[str, str], controller: str) -> Path | None:
    if controller not in mounts or controller not in own:
        return None
    point, root = mounts[controller]
    path = own[controller]
    inside = path.removeprefix(root) if root != "/" else path
    folder = Path(point, inside.lstrip("/"))
    if not folder.is_dir():
        return Path(point)
    return folder.parent if folder.name == _HOST_LEAF else folder


def _delegate(folder: Path) -> bool:
    """Version 2: hand the memory and pids controllers down, after moving our own processes into a leaf."""
    control = folder / "cgroup.subtree_control"
    try:
        available = (folder / "cgroup.controllers").read_text(encoding="ascii").split()
        if "memory" not in available:
            return False
        wanted = " ".join(f"+{name}" for name in ("memory", "pids") if name in available)
        try:
            control.write_text(wanted, encoding="ascii")
        except OSError as error:
            if error.errno != errno.EBUSY:
                return False
            leaf = folder / _HOST_LEAF
            leaf.mkdir(exist_ok=True)
            for pid in _pids(folder):
                _write(leaf / "cgroup.procs", pid)
            control.write_text(wanted, encoding="ascii")
    except OSError:
        return False
    return True


def _usable(folder: Path, file: str) -> bool:
    trial = folder / f"{PREFIX}{owner()}-trial"
    try:
        trial.mkdir(exist_ok=True)
        usable = os.access(trial / file, os.W_OK)
        trial.rmdir()
    except OSError:
        return False
    return usable


def _start_time(pid: int) -> str | None:
    """When a process started, in clock ticks since boot (proc(5), field 22); None if there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else fields[19]


def owner(pid: int | None = None) -> str:
    """A name for a process that is never reused: its pid and when it started."""
    pid = os.getpid() if pid is None else pid
    return f"{pid}.{_start_time(pid)}"


def sweep() -> None:
    """Kill and remove what dead judges left, so that no core is busy with it."""
    found = hierarchies()
    if found is None:
        return
    for folder in found.folders():
        for group in folder.glob(f"{PREFIX}*.*-*"):
            pid, _, started = group.name.removeprefix(PREFIX).partition("-")[0].partition(".")
            if pid.isdecimal() and _start_time(int(pid)) != started:
                _empty(group)
                _remove(group)


class CellGroup:
    """The groups of one cell. Made empty; removed by :meth:`close`, which kills whoever is still inside."""

    def __init__(self, found: Hierarchies, name: str) -> None:
        self._version = found.version
        self._memory = found.memory / f"{PREFIX}{owner()}-{name}"
        self._pids = found.pids / self._memory.name if found.pids is not None else None
        self._folders = tuple(folder / self._memory.name for folder in found.folders())
        for folder in self._folders:
            folder.mkdir()

    @property
    def counts_tasks(self) -> bool:
        """Whether processes and threads are limited here, and not only memory."""
        return self._pids is not None

    def attach(self, pid: int) -> None:
        """Move a process in. Its children follow it."""
        for folder in self._folders:
            _write(folder / "cgroup.procs", pid)

    def limit(self, memory_bytes: int, tasks: int) -> None:
        """Bound memory (swap included) and the number of processes and threads."""
        if self._version == 1:
            self._limit_memory_v1(memory_bytes)
        else:
            _write(self._memory / "memory.max", memory_bytes)
            with contextlib.suppress(FileNotFoundError):
                _write(self._memory / "memory.swap.max", 0)
        if self._pids is not None:
            _write(self._pids / "pids.max", tasks)

    def _limit_memory_v1(self, memory_bytes: int) -> None:
        # The kernel demands memory <= memory and swap at every moment, so the order depends on the direction.
        files = [self._memory / "memory.limit_in_bytes"]
        both = self._memory / "memory.memsw.limit_in_bytes"
        if both.exists():
            files.append(both)
            if int(both.read_text(encoding="ascii")) < memory_bytes:
                files.reverse()
        for file in files:
            _write(file, memory_bytes)

    def oom_killed(self) -> bool:
        """Whether the kernel killed a process of the cell for want of memory."""
        name = "memory.oom_control" if self._version == 1 else "memory.events"
        try:
            text = (self._memory / name).read_text(encoding="ascii")
        except OSError:
            return False
        counts = dict(line.split() for line in text.splitlines())
        return int(counts.get("oom_kill", "0")) > 0

    def memory_peak(self) -> int:
        """The most memory that was in use, in bytes; 0 where the kernel does not say."""
        name = "memory.max_usage_in_bytes" if self._version == 1 else "memory.peak"
        try:
            return int((self._memory / name).read_text(encoding="ascii"))
        except OSError:
            return 0

    def processes(self) -> list[int]:
        """The pids of all processes in the cell."""
        return _pids(self._memory)

    def kill(self) -> bool:
        """Kill all that is inside, and wait until it is empty; False if it is not within a few seconds."""
        emptied = [_empty(folder) for folder in self._folders]
        return all(emptied)

    def close(self) -> None:
        """Kill all that is inside and remove the groups."""
        for folder in self._folders:
            _empty(folder)
            _remove(folder)


def _write(file: Path, value: int) -> None:
    file.write_text(str(value), encoding="ascii")


def _pids(group: Path) -> list[int]:
    try:
        return [int(line) for line in (group / "cgroup.procs").read_text(encoding="ascii").split()]
    except FileNotFoundError:
        return []


def _empty(group: Path) -> bool:
    deadline = time.monotonic() + EMPTY_SECONDS
    while pids := _pids(group):
        try:
            _write(group / "cgroup.kill", 1)
        except OSError:
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        if time.monotonic() > deadline:
            return False
        time.sleep(0.001)
    return True


def _remove(group: Path) -> None:
    """rmdir; for a moment after the last process has gone the kernel may still say that the group is busy."""
    deadline = time.monotonic() + EMPTY_SECONDS
    while True:
        try:
            group.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            if time.monotonic() > deadline:
                return
            time.sleep(0.002)
        else:
            return
