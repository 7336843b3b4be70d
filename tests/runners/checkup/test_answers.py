"""What a host says of itself, read from trees like a host's."""

from __future__ import annotations

from pathlib import Path

import pytest

from problems.requirements import HOST_FACTS
from runners.checkup.answers import answers, isolated_cores, siblings, swaps
from runners.checkup.line import Line, Status
from runners.checkup.timing import timing_lines
from runners.sandbox.cores import CorePlan
from runners.sandbox.level import Level
from tests.runners.host_trees import cache_files, host

CORES = CorePlan(judge=0, contestant=(2, 3), own_core=True)
CPU = "/sys/devices/system/cpu"


def quiet_files() -> dict[str, str]:
    """A host of its own, prepared as one should be: nothing to do."""
    files = {
        "/proc/cpuinfo": "processor\t: 0\nmodel name\t: Fast 9000\nflags\t\t: fpu avx2\n",
        "/proc/swaps": "Filename Type Size Used Priority\n",
        "/proc/sys/kernel/randomize_va_space": "0\n",
        "/proc/loadavg": "0.03 0.10 0.20 1/200 4242\n",
        "/proc/stat": "cpu  100 0 100 10000 0 0 0 0 0 0\ncpu0 1 2 3\n",
        "/sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
        "/sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
        f"{CPU}/isolated": "2-3\n",
        f"{CPU}/cpufreq/boost": "0\n",
    }
    for core in (0, 2, 3):
        files[f"{CPU}/cpu{core}/cpufreq/scaling_governor"] = "performance\n"
        files[f"{CPU}/cpu{core}/topology/thread_siblings_list"] = f"{core}\n"
        files |= cache_files(core, {"index0": (1, "Data", "32K", str(core)), "index3": (3, "Unified", "32M", "0,2-3")})
    return files


NOISY = {
    "/proc/cpuinfo": "flags : fpu hypervisor\n",
    "/proc/swaps": "Filename Type Size Used Priority\n/dev/sda2 partition 1 0 -2\n",
    "/proc/sys/kernel/randomize_va_space": "2\n",
    "/proc/loadavg": "1.50 0.10 0.20 1/200 4242\n",
    "/proc/stat": "cpu  100 0 100 10000 0 0 0 300 0 0\n",
    "/sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n",
    "/sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet\n",
    f"{CPU}/isolated": "\n",
    f"{CPU}/cpufreq/boost": "1\n",
    f"{CPU}/cpu2/cpufreq/scaling_governor": "powersave\n",
    f"{CPU}/cpu2/topology/thread_siblings_list": "0,2\n",
    f"{CPU}/cpu2/cache/index3/shared_cpu_list": "0-7\n",
}
LINE_OF = {
    "/proc/cpuinfo": "virtual machine",
    "/proc/swaps": "swap",
    "/proc/sys/kernel/randomize_va_space": "address randomisation",
    "/proc/loadavg": "load",
    "/proc/stat": "steal time",
    "/sys/kernel/mm/transparent_hugepage/enabled": "huge pages",
    "/sys/devices/system/clocksource/clocksource0/current_clocksource": "clock",
    f"{CPU}/isolated": "cores",
    f"{CPU}/cpufreq/boost": "boost",
    f"{CPU}/cpu2/cpufreq/scaling_governor": "frequency governor",
    f"{CPU}/cpu2/topology/thread_siblings_list": "hardware threads",
    f"{CPU}/cpu2/cache/index3/shared_cpu_list": "last-level cache",
}


def test_a_quiet_host_has_nothing_to_do_and_says_so(tmp_path: Path) -> None:
    files = host(tmp_path, quiet_files())
    assert {line.status for line in timing_lines(files, CORES)} == {Status.OK}
    assert answers(files, CORES) == {
        "isolated": "yes", "smt": "no", "governor": "performance", "boost": "no",
        "swap": "no", "aslr": "no", "thp": "madvise", "virtual": "no",
    }  # fmt: skip


@pytest.mark.parametrize("path", NOISY, ids=LINE_OF.get)
def test_each_source_of_noise_has_its_line_and_its_advice(tmp_path: Path, path: str) -> None:
    files = host(tmp_path, {**quiet_files(), path: NOISY[path]})
    [weak] = [line for line in timing_lines(files, CORES) if line.status is not Status.OK]
    assert (weak.name, weak.status) == (LINE_OF[path], Status.WEAK)
    assert weak.advice


def test_a_noisy_host_says_so(tmp_path: Path) -> None:
    files = host(tmp_path, {**quiet_files(), **NOISY})
    assert answers(files, CORES) == {
        "isolated": "no", "smt": "yes", "governor": "mixed", "boost": "yes",
        "swap": "yes", "aslr": "yes", "thp": "always", "virtual": "yes",
    }  # fmt: skip


def test_a_host_that_tells_nothing_is_unknown_and_never_fine_for_it(tmp_path: Path) -> None:
    files = host(tmp_path, {})
    told = answers(files, CORES)
    assert [told[name] for name in ("governor", "boost", "aslr", "thp")] == ["unknown"] * 4
    by_name = {line.name: line for line in timing_lines(files, CORES)}
    for name in ("frequency governor", "boost", "huge pages", "load", "clock", "steal time", "address randomisation"):
        assert by_name[name].status is Status.WEAK, name


def test_a_virtual_machine_is_not_told_to_set_what_it_cannot_see(tmp_path: Path) -> None:
    files = host(tmp_path, {"/proc/cpuinfo": NOISY["/proc/cpuinfo"]})
    by_name = {line.name: line for line in timing_lines(files, CORES)}
    assert "ask who runs the host" in by_name["boost"].advice
    assert "ask who runs the host" in by_name["frequency governor"].advice


def test_turbo_off_by_intels_switch_is_no_boost(tmp_path: Path) -> None:
    assert answers(host(tmp_path, {f"{CPU}/intel_pstate/no_turbo": "1"}), CORES)["boost"] == "no"
    assert answers(host(tmp_path, {f"{CPU}/intel_pstate/no_turbo": "0"}), CORES)["boost"] == "yes"


def test_cores_may_be_isolated_by_a_partition_too(tmp_path: Path) -> None:
    files = host(tmp_path, {f"{CPU}/isolated": "2", "/sys/fs/cgroup/cpuset.cpus.isolated": "3"})
    assert isolated_cores(files) == {2, 3}
    assert answers(files, CORES)["isolated"] == "yes"


def test_two_threads_of_one_core_are_siblings_of_each_other(tmp_path: Path) -> None:
    tree = {f"{CPU}/cpu{core}/topology/thread_siblings_list": "2-3\n" for core in (2, 3)}
    assert siblings(host(tmp_path, tree), (2, 3)) == {2, 3}


def test_swap_is_listed(tmp_path: Path) -> None:
    assert swaps(host(tmp_path, {"/proc/swaps": NOISY["/proc/swaps"]})) == ["/dev/sda2"]
    assert swaps(host(tmp_path / "none", {})) == []


def test_boards_can_demand_all_that_a_host_says_and_nothing_else(tmp_path: Path) -> None:
    level = Level(True, True, "root", True, "cgroup-v2", "throwaway", True)
    assert set(HOST_FACTS) == {*level.as_text(), *answers(host(tmp_path, {}), CORES)}


def test_the_judges_thread_beside_the_contestants_is_named(tmp_path: Path) -> None:
    path = f"{CPU}/cpu2/topology/thread_siblings_list"
    lines = timing_lines(host(tmp_path, {**quiet_files(), path: NOISY[path]}), CORES)
    found: Line = next(line for line in lines if line.name == "hardware threads")
    assert "the judge's among them" in found.found
