"""What makes times repeat, or not: who else has the cores, their frequency, the memory, the clock."""

from __future__ import annotations

from runners.checkup.answers import UNKNOWN, answers, isolated_cores, siblings, swaps
from runners.checkup.line import Line, line
from runners.devices.caches import caches_of
from runners.host_files import HostFiles
from runners.sandbox.cores import CorePlan

TOPIC = "timing"
QUIET_LOAD = 0.25
QUIET_STEAL = 0.001
GOOD_CLOCKS = ("tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page")


def timing_lines(files: HostFiles, cores: CorePlan) -> list[Line]:
    """All that bears on timing with this division of the cores."""
    told = answers(files, cores)
    return [
        _isolated(files, cores),
        _threads(files, cores),
        _last_cache(files, cores),
        _frequency(told["governor"], told["virtual"]),
        _boost(told["boost"], told["virtual"]),
        line(
            TOPIC, "swap", ", ".join(swaps(files)) or "none",
            "swapoff -a: a page that must come back from disk is timed", good=told["swap"] == "no",
        ),
        line(
            TOPIC, "huge pages", told["thp"],
            "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled: kernels that do not ask get them by luck",
            good=told["thp"] in ("madvise", "never"),
        ),
        line(
            TOPIC, "address randomisation", {"yes": "on", "no": "off"}.get(told["aslr"], told["aslr"]),
            "contestant and anchor of a run share their layout, runs after a restart do not; if times must repeat over "
            "restarts more than attacks must be hard: sysctl kernel.randomize_va_space=0", good=told["aslr"] == "no",
        ),
        _load(files),
        _clock(files),
        line(
            TOPIC, "virtual machine", told["virtual"],
            "other guests share caches and memory; use a machine of its own for boards that decide something",
            good=told["virtual"] == "no",
        ),
        _steal(files),
    ]  # fmt: skip


def _isolated(files: HostFiles, cores: CorePlan) -> Line:
    isolated = isolated_cores(files)
    shared = sorted(set(cores.contestant) - isolated)
    found = f"judge on {cores.judge}, contestant on {_list(cores.contestant)}"
    return line(
        TOPIC, "cores", f"{found}, {'isolated' if not shared else f'{_list(shared)} open to all processes'}",
        f"keep others away: a cpuset partition (cpuset.cpus.partition=isolated) or isolcpus={_list(shared)}",
        good=not shared,
    )  # fmt: skip


def _threads(files: HostFiles, cores: CorePlan) -> Line:
    found = siblings(files, cores.contestant)
    with_judge = " (the judge's among them)" if cores.judge in found else ""
    return line(
        TOPIC, "hardware threads", f"shared with {_list(sorted(found))}{with_judge}" if found else "one a core",
        "echo off > /sys/devices/system/cpu/smt/control, or give the runner one thread of each core and leave the "
        "other idle", good=not found,
    )  # fmt: skip


def _last_cache(files: HostFiles, cores: CorePlan) -> Line:
    ours = {cores.judge, *cores.contestant}
    last = caches_of(cores.contestant[0], files)[-1]
    strangers = sorted(set(last.shared) - ours)
    size = f"{last.bytes >> 20} MiB" if last.bytes >= 1 << 20 else f"{last.bytes >> 10} KiB"
    return line(
        TOPIC, "last-level cache", f"{size}, " + (f"shared with {_list(strangers)}" if strangers else "of its own"),
        "run one timed run for each last-level cache: keep other work off these cores, or give them to this runner",
        good=not strangers,
    )  # fmt: skip


def _frequency(governor: str, virtual: str) -> Line:
    advice = "cpupower frequency-set -g performance"
    return line(
        TOPIC, "frequency governor", governor, _or_ask(governor, virtual, advice), good=governor == "performance"
    )


def _boost(boost: str, virtual: str) -> Line:
    advice = (
        "echo 0 > /sys/devices/system/cpu/cpufreq/boost (intel_pstate: echo 1 > …/intel_pstate/no_turbo): "
        "boosted clocks depend on heat and neighbours"
    )
    found = {"yes": "on", "no": "off"}.get(boost, boost)
    return line(TOPIC, "boost", found, _or_ask(boost, virtual, advice), good=boost == "no")


def _or_ask(found: str, virtual: str, advice: str) -> str:
    if found == UNKNOWN and virtual == "yes":
        return "a virtual machine does not see it: ask who runs the host"
    return advice


def _load(files: HostFiles) -> Line:
    text = (files.text("/proc/loadavg") or "").split()
    load = float(text[0]) if text else None
    return line(
        TOPIC, "load", "unknown" if load is None else f"{load:.2f} in the last minute",
        "let nothing else run here, databases and web servers neither; look again when the host is idle",
        good=load is not None and load <= QUIET_LOAD,
    )  # fmt: skip


def _clock(files: HostFiles) -> Line:
    clock = files.text("/sys/devices/system/clocksource/clocksource0/current_clocksource") or UNKNOWN
    return line(
        TOPIC, "clock", clock,
        "a slow clock costs a system call a reading: boot with clocksource=tsc tsc=reliable, if the processor allows",
        good=clock in GOOD_CLOCKS,
    )  # fmt: skip


def _steal(files: HostFiles) -> Line:
    """Field 8 of the first line of ``/proc/stat``: time that a hypervisor gave to others, since boot."""
    ticks = [int(text) for text in (files.text("/proc/stat") or "").partition("\n")[0].split()[1:9] if text.isdigit()]
    share = ticks[7] / max(1, sum(ticks)) if len(ticks) == 8 else None
    return line(
        TOPIC, "steal time", UNKNOWN if share is None else f"{share:.2%} since boot",
        "the hypervisor gives this machine's cores to others: ask for dedicated cores",
        good=share is not None and share <= QUIET_STEAL,
    )  # fmt: skip


def _list(cores: tuple[int, ...] | list[int]) -> str:
    """(0, 1, 2, 5) as ``0-2,5``."""
    parts: list[str] = []
    begin = previous = None
    for core in [*cores, None]:
        if previous is not None and begin is not None and core != previous + 1:
            parts.append(str(begin) if begin == previous else f"{begin}-{previous}")
            begin = None
        begin = core if begin is None else begin
        previous = core
    return ",".join(parts)
