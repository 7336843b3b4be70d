"""Cells: the sandboxed processes of a run, forked by the judge, and the housing that they share."""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import select
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NoReturn

from runners.sandbox import cgroups, confine, libc, namespaces, seccomp
from runners.sandbox.level import Level, admits
from runners.sandbox.rootfs import Image

READY_SECONDS = 20.0
GONE_SECONDS = 10.0
_READY = b"ready"
_SHARE_BUILD = ("build", "contestant")
_SETUP_FAILED = 126
_MOST_TASKS = 4096
"""RLIMIT_NPROC counts a user's tasks in all cells; it is only the last resort where a control group counts."""


class SandboxError(RuntimeError):
    """The sandbox could not be set up: our fault, never the contestant's."""


@dataclass(frozen=True)
class CellPlan:
    """What a cell is to be.

    `stage` "build" may start processes, "time" may not. `output` becomes stdout and
    stderr, None is /dev/null. `keep_fds` survive, in this order, as 3, 4, 5, … and are closed on exec. `processes`
    counts threads too. The cells "build" and "contestant" of a judge share /build; any other has one of its own.
    """

    name: str
    stage: Literal["build", "time"]
    cores: tuple[int, ...]
    memory_bytes: int
    processes: int
    scratch_bytes: int
    output: int | None
    keep_fds: tuple[int, ...]

    @property
    def group(self) -> str:
        """Whose /build it sees."""
        return "contestant" if self.name in _SHARE_BUILD else self.name


class Cell:
    """One sandboxed process, and whatever it started. It is a child of the judge."""

    def __init__(self, pid: int, name: str, group: cgroups.CellGroup | None) -> None:
        self.pid = pid
        self.name = name
        self._group = group
        self._pidfd = os.pidfd_open(pid)
        self._status: int | None = None

    def kill(self) -> None:
        """Kill the cell and all that is in it; returns once it is empty, or after some seconds.

        With the first process of a pid namespace the kernel kills all the others, and lets it be seen as dead only
        when they are gone.
        """
        if self._pidfd >= 0 and self._status is None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
            _wait_readable(self._pidfd, GONE_SECONDS)
        if self._group is not None:
            self._group.kill()

    def set_limits(self, memory_bytes: int, processes: int) -> None:
        """Set the limits of memory in bytes (swap included) and of processes and threads."""
        if self._group is not None:
            self._group.limit(memory_bytes, processes)
        if self._group is not None and self._group.counts_tasks:
            return
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(self.pid, resource.RLIMIT_NPROC, (processes, processes))
            if self._group is None:
                data = memory_bytes + _private_bytes(self.pid)
                resource.prlimit(self.pid, resource.RLIMIT_DATA, (data, data))

    def oom_killed(self) -> bool:
        """Whether the kernel killed something in the cell because the memory limit was reached."""
        return self._group is not None and self._group.oom_killed()

    def memory_peak(self) -> int:
        """The most memory that the cell had in use, in bytes; 0 if unknown."""
        return self._group.memory_peak() if self._group is not None else 0

    def processes(self) -> int:
        """How many processes (not threads) live in the cell."""
        if self._group is not None:
            return len(self._group.processes())
        return _count_in_namespace(self.pid)

    def alive(self) -> bool:
        """Whether the cell's first process has not ended. Never reaps it."""
        if self._status is not None:
            return False
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None

    def exit_status(self) -> int | None:
        """The exit code, or the negated signal; None while it lives. Reaps."""
        if self._status is None:
            result = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG)
            if result is not None:
                exited = result.si_code == os.CLD_EXITED
                self._status = result.si_status if exited else -result.si_status
        return self._status

    def close(self) -> None:
        """Kill, reap, and remove the cell's groups."""
        if self._pidfd < 0:
            return
        self.kill()
        self.exit_status()
        if self._group is not None:
            self._group.close()
        os.close(self._pidfd)
        self._pidfd = -1


class Housing:
    """Where the cells of one run live. Made once by the judge, before its first cell.

    Raises SandboxError on a host that cannot hold untrusted code.
    """

    def __init__(self, level: Level, scratch_bytes: int, *, allow_no_memory_control: bool | None = None) -> None:
        if refused := admits(level, allow_no_memory_control):
            raise SandboxError("; ".join(refused))
        if (threads := namespaces.thread_count()) != 1:
            raise SandboxError(f"a judge must have one thread when it makes its cells, not {threads}")
        self._level = level
        self._cells: list[Cell] = []
        self._made = 0
        cgroups.sweep()
        self._hierarchies = cgroups.hierarchies() if level.memory != "none" else None
        self._counts_tasks = self._hierarchies is not None and self._hierarchies.pids is not None
        try:
            self._uids = self._choose_uids()
            if level.namespaces == "root":
                namespaces.isolate_judge("root")
            self._image = Image(scratch_bytes, self._uids[0])
            self._pid_namespaces = namespaces.PidNamespaces()
        except OSError as error:
            raise SandboxError(f"the sandbox could not be set up: {error}") from error

    def _choose_uids(self) -> tuple[int, int]:
        if self._level.uid == "own":
            return (0, 0)
        pid = os.getpid()
        return (namespaces.throwaway_uid(pid), namespaces.throwaway_uid(pid, second=True))

    def build_folder(self, plan: CellPlan) -> Path:
        """The folder that a cell sees as /build, as this process sees it. What lies in it is hostile."""
        return self._image.build_folder(plan.group, self._uid(plan))

    def _uid(self, plan: CellPlan) -> int:
        return self._uids[0] if plan.group == "contestant" else self._uids[1]

    def spawn(self, plan: CellPlan, entry: Callable[[], None]) -> Cell:
        """Fork; the child enters its cell, calls `entry`, and ends when that returns. Raises SandboxError."""
        return self.spawn_together(((plan, entry),))[0]

    def spawn_together(self, plans: Sequence[tuple[CellPlan, Callable[[], None]]]) -> list[Cell]:
        """As :meth:`spawn` for several cells. Cheaper: the kernel's wait to attach to a group is paid once."""
        sys.stdout.flush()
        sys.stderr.flush()
        births: list[_Birth] = []
        try:
            for plan, entry in plans:
                births.append(self._begin(plan, entry))
            for birth in births:
                birth.admit()
            for birth in births:
                birth.confirm()
        except (OSError, SandboxError) as error:
            for birth in births:
                birth.cell.close()
            raise SandboxError(f"a cell could not be made: {error}") from error
        finally:
            for birth in births:
                birth.close()
        cells = [birth.cell for birth in births]
        self._cells += cells
        return cells

    def _begin(self, plan: CellPlan, entry: Callable[[], None]) -> _Birth:
        self.build_folder(plan)
        program = seccomp.compiled(plan.stage) if self._level.seccomp else None
        group: cgroups.CellGroup | None = None
        if self._hierarchies is not None:
            self._made += 1
            group = cgroups.CellGroup(self._hierarchies, f"{plan.name}-{self._made}")
        ready_read, ready_write = os.pipe()
        go_read, go_write = os.pipe()
        try:
            pid = self._pid_namespaces.fork()
        except OSError:
            if group is not None:
                group.close()
            raise
        if pid == 0:
            os.close(go_write)
            self._run_child(plan, entry, program, ready_write, go_read)
        os.close(go_read)
        os.close(ready_write)
        return _Birth(Cell(pid, plan.name, group), plan, group, ready_read, go_write)

    def _run_child(
        self, plan: CellPlan, entry: Callable[[], None], program: bytes | None, ready: int, go: int
    ) -> NoReturn:
        code = 1
        try:
            ready = self._confine(plan, program, ready, go)
            os.write(ready, _READY)
            os.close(ready)
        except BaseException as error:
            with contextlib.suppress(OSError):
                os.write(ready, f"{type(error).__name__}: {error}".encode()[:4000])
            os._exit(_SETUP_FAILED)
        try:
            entry()
            code = 0
        except SystemExit as error:
            code = error.code if isinstance(error.code, int) else int(error.code is not None)
        except BaseException:
            traceback.print_exc()
        finally:
            with contextlib.suppress(BaseException):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code & 0xFF)

    def _confine(self, plan: CellPlan, program: bytes | None, ready: int, go: int) -> int:
        """Enter the cell. Returns the new number of the descriptor `ready`."""
        gc.disable()
        libc.die_with_parent()
        libc.unshare(namespaces.CELL_BEFORE_ATTACH)
        self._image.enter(plan.group, scratch_bytes=plan.scratch_bytes)
        confine.arrange_descriptors(plan.output, (*plan.keep_fds, ready, go))
        ready = confine.FIRST_KEPT + len(plan.keep_fds)
        if not os.read(ready + 1, 1):
            os._exit(_SETUP_FAILED)
        os.close(ready + 1)
        libc.unshare(libc.CLONE_NEWCGROUP)
        os.umask(0o022)
        confine.reset_signals()
        confine.set_environment(len(plan.cores))
        powers = confine.Powers(
            uid=self._uid(plan) if self._level.uid == "throwaway" else None,
            cores=plan.cores,
            tasks=_MOST_TASKS if self._counts_tasks else plan.processes,
            file_bytes=plan.scratch_bytes,
            system_calls=program,
        )
        confine.set_limits(powers)
        confine.give_up_powers(powers)
        gc.enable()
        return ready

    def close(self) -> None:
        """Kill all cells, empty and remove their groups, unmount what they saw."""
        for cell in self._cells:
            cell.close()
        self._image.close()
        self._pid_namespaces.close()


@dataclass(frozen=True)
class _Birth:
    """A forked cell that waits for its limits."""

    cell: Cell
    plan: CellPlan
    group: cgroups.CellGroup | None
    ready: int
    go: int

    def admit(self) -> None:
        """Set the limits and let it go on."""
        if self.group is not None:
            self.group.attach(self.cell.pid)
        self.cell.set_limits(self.plan.memory_bytes, self.plan.processes)
        with contextlib.suppress(BrokenPipeError):
            os.write(self.go, b"g")

    def confirm(self) -> None:
        """Wait until the child says that it is in its cell. Raises SandboxError with what it says instead."""
        if not _wait_readable(self.ready, READY_SECONDS):
            raise SandboxError(f"{self.plan.name} was not ready in time")
        said = os.read(self.ready, 4096)
        if said != _READY:
            why = said.decode("utf-8", "replace") or "its process died before it was ready"
            raise SandboxError(f"{self.plan.name}: {why}")

    def close(self) -> None:
        """Close the two pipes."""
        os.close(self.ready)
        os.close(self.go)


def _wait_readable(fd: int, seconds: float) -> bool:
    poller = select.poll()
    poller.register(fd, select.POLLIN)
    return bool(poller.poll(seconds * 1000))


def _private_bytes(pid: int) -> int:
    """What RLIMIT_DATA already counts of a process, in bytes (VmData of proc_pid_status(5))."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith("VmData:"):
            return int(line.split()[1]) * 1024
    return 0


def _count_in_namespace(first: int) -> int:
    namespace = os.readlink(f"/proc/{first}/ns/pid")
    count = 0
    for name in os.listdir("/proc"):
        if name.isdecimal():
            with contextlib.suppress(OSError):
                count += os.readlink(f"/proc/{name}/ns/pid") == namespace
    return count
