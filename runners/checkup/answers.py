"""What a host says of itself beside its level: one word each, so that boards can demand them.

The words are yes, no and unknown, and the kernel's own for the governor and transparent huge pages.
"""

from __future__ import annotations

import re

from runners.host_files import HostFiles
from runners.sandbox.cores import CorePlan

CPU = "/sys/devices/system/cpu"
UNKNOWN = "unknown"


def answers(files: HostFiles, cores: CorePlan) -> dict[str, str]:
    """All answers of this host, by the names in :data:`problems.requirements.HOST_FACTS`."""
    return {
        "isolated": _yes_no(set(cores.contestant) <= isolated_cores(files)),
        "smt": _yes_no(bool(siblings(files, cores.contestant))),
        "governor": governor(files, cores.contestant),
        "boost": boost(files),
        "swap": _yes_no(bool(swaps(files))),
        "aslr": _by_number(files.number("/proc/sys/kernel/randomize_va_space")),
        "thp": huge_pages(files),
        "virtual": _yes_no("hypervisor" in files.fields("/proc/cpuinfo").get("flags", "").split()),
    }


def isolated_cores(files: HostFiles) -> set[int]:
    """Cores that the scheduler gives to nobody who does not ask: by boot parameter, or by a cpuset partition."""
    booted = files.cores(f"{CPU}/isolated") or ()
    partition = files.cores("/sys/fs/cgroup/cpuset.cpus.isolated") or ()
    return {*booted, *partition}


def siblings(files: HostFiles, cores: tuple[int, ...]) -> set[int]:
    """Hardware threads that share a physical core with one of `cores`, themselves included where they pair up."""
    found: set[int] = set()
    for core in cores:
        found |= set(files.cores(f"{CPU}/cpu{core}/topology/thread_siblings_list") or ()) - {core}
    return found


def governor(files: HostFiles, cores: tuple[int, ...]) -> str:
    """What sets the frequency of `cores`: the kernel's word, "mixed", or "unknown"."""
    words = {files.text(f"{CPU}/cpu{core}/cpufreq/scaling_governor") or UNKNOWN for core in cores}
    return words.pop() if len(words) == 1 else "mixed"


def boost(files: HostFiles) -> str:
    """Whether frequencies above the nominal one are used."""
    no_turbo = files.number(f"{CPU}/intel_pstate/no_turbo")
    if no_turbo is not None:
        return _yes_no(no_turbo == 0)
    return _by_number(files.number(f"{CPU}/cpufreq/boost"))


def swaps(files: HostFiles) -> list[str]:
    """The files and partitions that memory may be swapped to."""
    lines = (files.text("/proc/swaps") or "").splitlines()[1:]
    return [text.split()[0] for text in lines if text.split()]


def huge_pages(files: HostFiles) -> str:
    """When the kernel makes huge pages unasked: "always", "madvise", "never" or "unknown"."""
    found = re.search(r"\[(\w+)\]", files.text("/sys/kernel/mm/transparent_hugepage/enabled") or "")
    return found[1] if found else UNKNOWN


def _yes_no(value: bool) -> str:
    return "yes" if value else "no"


def _by_number(value: int | None) -> str:
    return UNKNOWN if value is None else _yes_no(value != 0)
