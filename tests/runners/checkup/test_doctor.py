"""`kernelcup doctor`: the isolation it finds, what it prints, how it exits."""

from __future__ import annotations

import importlib.metadata
import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from runners import doctor
from runners.checkup.isolation import isolation_lines
from runners.checkup.line import Line, Status
from runners.checkup.noise import noise_lines, noise_of
from runners.checkup.tools import tools_lines
from runners.cli import register
from runners.sandbox.level import Level, admits, probe
from tests.guard.reports import timing
from tests.runners.host_trees import host

FULL = Level(
    stop=True, cpu_clock=True, namespaces="root", seccomp=True, memory="cgroup-v2", uid="throwaway", own_core=True
)


def lines_of(level: Level, root: Path, files: Mapping[str, str] | None = None) -> dict[str, Line]:
    return {line.name: line for line in isolation_lines(level, host(root, files or {}))}


def test_a_host_with_everything_is_fine(tmp_path: Path) -> None:
    assert {line.status for line in lines_of(FULL, tmp_path).values()} == {Status.OK}


@pytest.mark.parametrize(
    ("change", "name", "status", "says"),
    [
        ({"stop": False}, "stop", Status.MISSING, "SIGSTOP"),
        ({"cpu_clock": False}, "CPU clock", Status.MISSING, "clock_gettime"),
        ({"namespaces": "none"}, "namespaces", Status.MISSING, "SYS_ADMIN"),
        ({"namespaces": "user"}, "namespaces", Status.WEAK, "run as root"),
        ({"seccomp": False}, "seccomp", Status.MISSING, "libseccomp"),
        ({"memory": "none"}, "memory control", Status.MISSING, "mount cgroup"),
        ({"uid": "own"}, "uid", Status.WEAK, "run the runner as root"),
        ({"own_core": False}, "own core", Status.WEAK, "two cores"),
    ],
)
def test_each_lack_has_its_line_and_its_advice(
    change: dict[str, object], name: str, status: Status, says: str, tmp_path: Path
) -> None:
    level = replace(FULL, **change)  # type: ignore[arg-type]
    lines = lines_of(level, tmp_path)
    assert [line.name for line in lines.values() if line.status is not Status.OK] == [name]
    assert lines[name].status is status
    assert says in lines[name].advice
    assert bool(level.missing()) == (status is Status.MISSING)


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"/sys/fs/cgroup/cgroup.controllers": "cpu io pids"}, "cgroup_enable=memory"),
        ({"/sys/fs/cgroup/cgroup.controllers": "cpu memory"}, "writable"),
        ({"/sys/fs/cgroup/memory/memory.limit_in_bytes": "1"}, "writable"),
        ({}, "mount cgroup version 2"),
    ],
)
def test_why_memory_cannot_be_limited(files: dict[str, str], says: str, tmp_path: Path) -> None:
    assert says in lines_of(replace(FULL, memory="none"), tmp_path, files)["memory control"].advice


def test_a_crash_that_starts_a_program_of_the_hosts_is_weak(tmp_path: Path) -> None:
    piped = {"/proc/sys/kernel/core_pattern": "|/usr/share/apport/apport %p\n"}
    assert lines_of(FULL, tmp_path, piped)["core dumps"].status is Status.WEAK


def test_tools_that_are_not_there_are_missing_and_optional_ones_weak() -> None:
    def version(name: str) -> str:
        if name == "torch":
            return "2.13.0"
        raise importlib.metadata.PackageNotFoundError(name)

    found = {line.name: line for line in tools_lines(lambda name: "/usr/bin/g++" if name == "g++" else None, version)}
    assert {name: line.status for name, line in found.items()} == {
        "g++": Status.OK, "ninja": Status.MISSING, "torch": Status.OK, "triton": Status.WEAK,
    }  # fmt: skip
    assert found["torch"].found == "2.13.0"


def test_noise_is_the_spread_of_the_pairs() -> None:
    quiet = noise_of("n: 1", timing(samples=(1.0,) * 9, anchor_samples=(1.0,) * 9, log_ratio=0.0, low=-1e-3, high=1e-3))
    assert (quiet.spread, quiet.half_width, quiet.differs) == (0.0, pytest.approx(1e-3), False)
    samples = tuple(math.exp(0.1 * step) for step in range(-5, 6))
    loud = noise_of("n: 1", timing(samples=samples, anchor_samples=(1.0,) * 11, log_ratio=0.2, low=0.1, high=0.3))
    assert loud.spread == pytest.approx(0.6 / 1.349, rel=0.01)
    assert loud.differs
    assert [line.status for line in noise_lines([quiet, loud])] == [Status.OK, Status.WEAK]
    assert "a difference that is none" in noise_lines([loud])[0].found


def call(*arguments: str) -> Result:
    app = typer.Typer()
    register(app)
    return CliRunner().invoke(app, ["doctor", *arguments])


def test_this_host_gets_an_answer() -> None:
    result = call("--json")
    found = json.loads(result.stdout)
    assert result.exit_code == (3 if probe().missing() else 0)
    assert found["fit"] == (not probe().missing())
    assert found["facts"].items() >= probe().as_text().items()
    assert found["noise"] == []
    for line in found["lines"]:
        assert line["status"] in ("ok", "weak", "missing")
        assert bool(line["advice"]) == (line["status"] != "ok")


def test_a_host_that_is_not_fit_is_told_why_and_exits_with_3(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "probe", lambda: replace(FULL, memory="none"))
    result = call()
    assert result.exit_code == 3
    assert "Not fit for untrusted code" in result.stdout
    assert "no memory control" in result.stdout
    assert json.loads(call("--json").stdout)["fit"] is False


def test_a_host_that_is_fit_exits_with_0(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "probe", lambda: FULL)
    result = call()
    assert result.exit_code == 0
    assert "Fit for untrusted code" in result.stdout


@pytest.mark.parametrize("arguments", [["--loud"], ["--noise", "--seconds", "0"], ["more"]])
def test_wrong_usage_exits_with_2(arguments: list[str]) -> None:
    assert call(*arguments).exit_code == 2


@pytest.mark.skipif(bool(admits(probe(), True)), reason="this host cannot judge")
def test_the_race_of_a_kernel_against_itself_is_run_by_the_real_judge() -> None:
    result = call("--noise", "--seconds", "0.1", "--json", "--allow-no-memory-control")
    found = json.loads(result.stdout)
    assert found["noise_failure"] == ""
    assert [case["label"].split(";")[0] for case in found["noise"]] == ["n: 1048576", "n: 4194333", "n: 16777216"]
    for case in found["noise"]:
        assert case["pairs"] >= 3
        assert 0 <= case["spread"] < math.inf
        assert case["half_width"] >= 0
