from __future__ import annotations

import json
import os
import platform
import signal
from typing import Any

import pytest

from runners.sandbox.level import Level
from runners.sandbox.warm import WarmServer
from tests.runners.sandbox.attempts import ATTEMPTS, Attempt, try_one

CASES = [(stage, name) for name, entry in ATTEMPTS.items() for stage in entry.stages if not entry.fatal]
FATAL = [(stage, name) for name, entry in ATTEMPTS.items() for stage in entry.stages if entry.fatal]


@pytest.fixture(scope="module")
def outcomes(warm: WarmServer) -> dict[tuple[str, str], dict[str, Any]]:
    """Every attempt, made in one cell for each stage: what is refused leaves no trace."""
    channel = warm.open_judge()
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for stage in ("build", "time"):
        channel.send(
            {
                "scenario": "tests.runners.sandbox.host:in_cell",
                "function": "tests.runners.sandbox.attempts:run_all",
                "arguments": [stage],
                "stage": stage,
            }
        )
        answer = channel.receive(120)
        assert answer is not None
        assert "result" in answer, answer
        found |= {(stage, line["name"]): line for line in answer["result"]["lines"] if "name" in line}
    channel.close()
    return found


@pytest.mark.parametrize(("stage", "name"), CASES, ids=[f"{stage}-{name}" for stage, name in CASES])
def test_a_cell_refuses(outcomes: dict[tuple[str, str], dict[str, Any]], stage: str, name: str) -> None:
    assert (stage, name) in outcomes, "the cell died before or during the attempt"
    outcome = outcomes[stage, name]
    assert outcome["errno"] in ATTEMPTS[name].refusals, outcome


@pytest.fixture(scope="module")
def ends(warm: WarmServer, level: Level) -> dict[tuple[str, str], list[Any]]:
    """Every attempt that ends its process, each in a cell of its own."""
    if not level.seccomp:
        pytest.skip("no seccomp here")
    channel = warm.open_judge()
    found: dict[tuple[str, str], list[Any]] = {}
    for stage in ("build", "time"):
        channel.send({"scenario": "tests.runners.sandbox.scenarios:fatal_attempts", "stage": stage})
        answer = channel.receive(120)
        assert answer is not None
        assert "result" in answer, answer
        found |= {(stage, name): end for name, end in answer["result"].items()}
    channel.close()
    return found


@pytest.mark.parametrize(("stage", "name"), FATAL, ids=[f"{stage}-{name}" for stage, name in FATAL])
def test_a_cell_ends_with_a_call_that_no_honest_program_makes(
    ends: dict[tuple[str, str], list[Any]], stage: str, name: str
) -> None:
    assert ends[stage, name] == [-signal.SIGSYS, []]


@pytest.mark.parametrize("entry", [e for e in ATTEMPTS.values() if e.control], ids=lambda e: e.name)
def test_the_attempt_succeeds_outside(entry: Attempt) -> None:
    """Else its refusal inside would prove nothing."""
    if os.geteuid() != 0:
        pytest.skip("needs root: an unprivileged process is refused anyway")
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        os.write(write, json.dumps(try_one(entry)).encode())
        os._exit(0)
    os.close(write)
    said = b""
    while chunk := os.read(read, 4096):
        said += chunk
    os.close(read)
    os.waitpid(pid, 0)
    assert said, "the attempt killed its process"
    outcome = json.loads(said)
    assert outcome["errno"] is None, outcome


def test_a_signal_to_its_own_group_stays_in_a_cell(play: Any) -> None:
    assert play("group_signals") == {"status": 0, "states": ["R", "R"]}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="these doors exist on x86-64 only")
@pytest.mark.parametrize("stage", ["build", "time"])
def test_no_other_architecture_gets_past_the_filter(level: Level, play: Any, stage: str) -> None:
    if not level.seccomp:
        pytest.skip("no seccomp here")
    by_interrupt = play("in_cell", function="tests.runners.sandbox.scenarios:interrupt_80", stage=stage)
    assert by_interrupt["lines"][0]["value"] < 0
    by_x32 = play("in_cell", function="tests.runners.sandbox.scenarios:x32_call", stage=stage)
    assert by_x32["lines"][0]["error"] == "OSError"
