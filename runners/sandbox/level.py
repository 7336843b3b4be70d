"""What this host can do to keep untrusted code: tried, never assumed."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from runners.sandbox import cgroups, libc, namespaces, rootfs
from runners.sandbox.cores import plan_cores

ALLOW_NO_MEMORY_CONTROL = "KERNELCUP_ALLOW_NO_MEMORY_CONTROL"
"""Environment variable of a warm process that was told to do without memory control."""

_TRIAL_SECONDS = 20.0


@dataclass(frozen=True)
class Level:
    """The means of isolation and timing that this host offers. Part of every result."""

    stop: bool
    """A child can be stopped and the stop confirmed."""
    cpu_clock: bool
    """The CPU clock of another process can be read."""
    namespaces: str
    """"root", "user" or "none"."""
    seccomp: bool
    memory: str
    """"cgroup-v1", "cgroup-v2" or "none"."""
    uid: str
    """"throwaway": a uid of its own for each run; "own": the judge's."""
    own_core: bool
    """The contestant shares no core with the judge."""

    def as_text(self) -> dict[str, str]:
        """The level as words, for the report."""
        yes_no = {True: "yes", False: "no"}
        return {
            "stop": yes_no[self.stop],
            "cpu_clock": yes_no[self.cpu_clock],
            "namespaces": self.namespaces,
            "seccomp": yes_no[self.seccomp],
            "memory": self.memory,
            "uid": self.uid,
            "own_core": yes_no[self.own_core],
        }

    def missing(self) -> list[str]:
        """What keeps this host from running untrusted code, each with what to do about it; empty if nothing."""
        wanted = {
            "a child cannot be stopped and watched: allow SIGSTOP and waitid": self.stop,
            "the CPU clock of another process cannot be read: allow clock_gettime on it": self.cpu_clock,
            "no namespaces: run as root (in a container: --privileged or --cap-add SYS_ADMIN), "
            "or allow unprivileged user namespaces": self.namespaces != "none",
            "no system-call filter: install libseccomp 2.5 or newer (Debian: libseccomp2) "
            "and a kernel with CONFIG_SECCOMP_FILTER": self.seccomp,
            "no memory control: run as root where the memory cgroup is mounted writable (version 1 or 2), "
            "or, for code that you trust, allow running without": self.memory != "none",
        }
        return [text for text, present in wanted.items() if not present]


def admits(level: Level, allow_no_memory_control: bool | None = None) -> list[str]:
    """Why this host may not run untrusted code; empty if it may.

    `allow_no_memory_control` accepts a host without memory control; None asks the environment of the warm process.
    """
    if allow_no_memory_control is None:
        allow_no_memory_control = os.environ.get(ALLOW_NO_MEMORY_CONTROL) == "1"
    judged = replace(level, memory="allowed") if allow_no_memory_control and level.memory == "none" else level
    return judged.missing()


@functools.cache
def probe() -> Level:
    """Try every means in a forked child, and say what this host can do. Cached for the life of the process."""
    spaces = next((kind for kind in ("root", "user") if _succeeds(_namespace_trial(kind))), "none")
    found = cgroups.hierarchies() if spaces == "root" else None
    return Level(
        stop=_can_stop(),
        cpu_clock=_can_read_cpu_clock(),
        namespaces=spaces,
        seccomp=_succeeds(_try_seccomp),
        memory=f"cgroup-v{found.version}" if found is not None and _can_attach(found) else "none",
        uid="throwaway" if spaces == "root" else "own",
        own_core=plan_cores().own_core,
    )


def _succeeds(trial: Callable[[], None]) -> bool:
    """Whether `trial` returns without an exception in a forked child."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            trial()
            code = 0
        except BaseException:
            code = 1
        finally:
            os._exit(code)
    return _reap(pid) == 0


def _reap(pid: int) -> int:
    deadline = time.monotonic() + _TRIAL_SECONDS
    while True:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.0005)


def _namespace_trial(kind: str) -> Callable[[], None]:
    def trial() -> None:
        if kind == "root" and os.geteuid() != 0:
            raise PermissionError("not root")
        namespaces.isolate_judge(kind)
        image = rootfs.Image(1 << 20, 0)
        image.build_folder("contestant", 0)
        pid = namespaces.PidNamespaces().fork()
        if pid == 0:
            code = 1
            with contextlib.suppress(BaseException):
                libc.unshare(namespaces.CELL_BEFORE_ATTACH | libc.CLONE_NEWCGROUP)
                image.enter("contestant", scratch_bytes=1 << 20)
                code = 0 if os.listdir("/proc/self/task") == ["1"] else 1
            os._exit(code)
        if _reap(pid) != 0:
            raise OSError("a cell cannot be made")

    return trial


def _try_seccomp() -> None:
    from runners.sandbox import seccomp

    libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
    seccomp.load(seccomp.compiled("time"))
    try:
        os.fork()
    except PermissionError:
        return
    raise OSError("the filter does not filter")


def _sleeper() -> int:
    pid = os.fork()
    if pid == 0:
        libc.die_with_parent()
        time.sleep(_TRIAL_SECONDS)
        os._exit(0)
    return pid


def _can_stop() -> bool:
    pid = _sleeper()
    os.kill(pid, signal.SIGSTOP)
    deadline = time.monotonic() + 1
    event = None
    while event is None and time.monotonic() < deadline:
        event = os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOHANG)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return event is not None and event.si_code == os.CLD_STOPPED


def _can_read_cpu_clock() -> bool:
    pid = _sleeper()
    try:
        # Linux: the id of another process's CPU clock is the complement of its pid, shifted, with the kind of clock.
        return time.clock_gettime_ns((~pid << 3) | 2) >= 0
    except OSError:
        return False
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _can_attach(found: cgroups.Hierarchies) -> bool:
    pid = _sleeper()
    try:
        group = cgroups.CellGroup(found, "probe")
    except OSError:
        group = None
    try:
        if group is None:
            return False
        group.limit(1 << 30, 16)
        group.attach(pid)
        return pid in group.processes()
    except OSError:
        return False
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        if group is not None:
            group.close()
