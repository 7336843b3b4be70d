"""What keeps untrusted code in its place: the sandbox's level, and what the host does when something crashes."""

from __future__ import annotations

from runners.checkup.line import Line, Status, line
from runners.host_files import HostFiles
from runners.sandbox.level import Level

TOPIC = "isolation"


def isolation_lines(level: Level, files: HostFiles) -> list[Line]:
    """The level, field by field, and the handling of core dumps."""
    return [
        _needed("stop", level.stop, "a child can be stopped and the stop confirmed", "allow SIGSTOP and waitid"),
        _needed("CPU clock", level.cpu_clock, "of another process can be read", "allow clock_gettime on it"),
        _namespaces(level),
        _needed(
            "seccomp", level.seccomp, "system calls are filtered",
            "install libseccomp 2.5 or newer (Debian: libseccomp2), on a kernel with CONFIG_SECCOMP_FILTER",
        ),
        _memory(level, files),
        line(
            TOPIC, "uid", {"throwaway": "one of its own for each run"}.get(level.uid, "the judge's own"),
            "run the runner as root: each run then gets a uid that nothing else has", good=level.uid == "throwaway",
        ),
        line(
            TOPIC, "own core", "the judge and the contestant share none" if level.own_core else "one core for both",
            "give the runner two cores or more (taskset, cpuset or the machine's size)", good=level.own_core,
        ),
        _core_dumps(files),
    ]  # fmt: skip


def _needed(name: str, present: bool, found: str, advice: str) -> Line:
    return line(TOPIC, name, found if present else "no", advice, good=present, otherwise=Status.MISSING)


def _namespaces(level: Level) -> Line:
    found = {"root": "made as root", "user": "made by an ordinary user"}.get(level.namespaces, "none")
    advice = (
        "run as root, for cgroups and a uid for each run"
        if level.namespaces == "user"
        else "run as root (in a container: --privileged or --cap-add SYS_ADMIN), or allow unprivileged user namespaces"
    )
    lack = Status.WEAK if level.namespaces == "user" else Status.MISSING
    return line(TOPIC, "namespaces", found, advice, good=level.namespaces == "root", otherwise=lack)


def _memory(level: Level, files: HostFiles) -> Line:
    """Whether memory can be limited; if not, the nearest reason that the files show."""
    if level.memory != "none":
        return line(TOPIC, "memory control", level.memory, "", good=True)
    unified = files.text("/sys/fs/cgroup/cgroup.controllers")
    if unified is not None and "memory" not in unified.split():
        found, advice = "cgroup version 2 without the memory controller", "boot with cgroup_enable=memory"
    elif unified is not None or files.names("/sys/fs/cgroup/memory"):
        found, advice = "the memory cgroup is there and cannot be used", "run as root, with /sys/fs/cgroup writable"
    else:
        found, advice = "no memory cgroup is mounted", "mount cgroup version 2 at /sys/fs/cgroup"
    advice += "; for code that you trust: KERNELCUP_ALLOW_NO_MEMORY_CONTROL=true"
    return line(TOPIC, "memory control", found, advice, good=False, otherwise=Status.MISSING)


def _core_dumps(files: HostFiles) -> Line:
    pattern = files.text("/proc/sys/kernel/core_pattern")
    return line(
        TOPIC, "core dumps", pattern or "to a file called core",
        "a crashing kernel starts this program, as root and outside the sandbox: sysctl kernel.core_pattern=core",
        good=not (pattern or "").startswith("|"),
    )  # fmt: skip
