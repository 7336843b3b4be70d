from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runners.sandbox import cgroups
from runners.sandbox.level import Level
from runners.sandbox.warm import WarmError, WarmServer

PROJECT = Path(__file__).resolve().parents[3]
PRELOAD = ("tests.runners.sandbox.host", "tests.runners.sandbox.scenarios")
CLIENT = f"""
import json, time
from runners.sandbox.warm import WarmServer
warm = WarmServer("tests.runners.sandbox.host:serve", {PRELOAD!r}, allow_no_memory_control=True)
channel = warm.open_judge()
channel.send({{"scenario": "tests.runners.sandbox.scenarios:leave_spinning"}})
print(json.dumps({{"warm": warm._process.pid, "judge": channel.pid, **channel.receive(30)}}), flush=True)
time.sleep(100)
"""


def until(fact: Callable[[], bool], seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while not fact():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def gone(pid: int) -> bool:
    """Dead: no such process, or a zombie that nobody has reaped yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def tree(pid: int) -> list[int]:
    children = [int(text) for path in Path(f"/proc/{pid}/task").glob("*/children") for text in path.read_text().split()]
    return [*children, *(grandchild for child in children for grandchild in tree(child))]


@pytest.fixture
def client(level: Level) -> Any:
    if level.namespaces == "none":
        pytest.skip("this host makes no namespaces")
    process = subprocess.Popen(
        [sys.executable, "-c", CLIENT],
        stdout=subprocess.PIPE,
        text=True,
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
    )
    assert process.stdout is not None
    told = json.loads(process.stdout.readline())
    yield process, told
    process.kill()
    process.wait()
    process.stdout.close()


def test_everything_dies_with_a_killed_client(client: Any) -> None:
    process, told = client
    family = tree(process.pid)
    assert {told["warm"], told["judge"]} <= set(family)
    assert len(family) >= 6, "warm process, judge, two cells, two children of a cell"
    process.kill()
    process.wait()
    assert until(lambda: all(gone(pid) for pid in family))
    cgroups.sweep()
    assert not [group for group in told["result"]["groups"] if Path(group).exists()]


def test_cells_and_groups_of_a_killed_judge_go_while_the_warm_process_stays(client: Any) -> None:
    _, told = client
    family = tree(told["judge"])
    assert len(family) >= 4
    os.kill(told["judge"], signal.SIGKILL)
    assert until(lambda: all(gone(pid) for pid in family))
    assert until(lambda: not [group for group in told["result"]["groups"] if Path(group).exists()])
    assert not gone(told["warm"])


def test_a_group_left_by_a_dead_judge_is_emptied_and_removed(play: Any, level: Level) -> None:
    if level.memory == "none":
        pytest.skip("no control groups on this host")
    scene = play("stale_group")
    assert scene == {"gone": True, "left": False, "status": -signal.SIGKILL}


def test_closing_the_server_ends_its_judges(warm: WarmServer) -> None:
    with WarmServer("tests.runners.sandbox.host:serve", PRELOAD, allow_no_memory_control=True) as other:
        channel = other.open_judge()
        assert channel.alive()
    assert channel.receive(10) is None
    with pytest.raises(WarmError, match="closed"):
        other.open_judge()
    channel.close()


def test_a_killed_judge_reads_as_gone_and_the_next_one_works(warm: WarmServer) -> None:
    first = warm.open_judge()
    with pytest.raises(TimeoutError):
        first.receive(0.01)
    first.kill()
    assert first.receive(10) is None
    assert until(lambda: not first.alive())
    first.close()
    second = warm.open_judge()
    second.send({"scenario": "tests.runners.sandbox.scenarios:impossible_plan"})
    answer = second.receive(20)
    assert answer is not None
    assert answer["result"]["error"] == "SandboxError"
    second.close()


def test_a_warm_process_that_cannot_import_says_so() -> None:
    with WarmServer("no.such:entry", ("no_such_module",)) as server, pytest.raises(WarmError, match="no_such_module"):
        server.open_judge()


def test_a_host_without_memory_control_is_refused_unless_allowed() -> None:
    """For real, as an unprivileged user, with the attempts of the corpus."""
    python = Path("/usr/bin/python3.11")
    if os.geteuid() != 0 or not python.exists():
        pytest.skip("needs root, to become nobody, and a Python that nobody may run")
    import pyseccomp

    libraries = Path(pyseccomp.__file__).parent
    done = subprocess.run(
        [str(python), "-m", "tests.runners.sandbox.unprivileged"],
        user=65534, group=65534, extra_groups=[], cwd="/", capture_output=True, text=True, timeout=120,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{PROJECT}:{libraries}", "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    if "ModuleNotFoundError" in done.stderr:
        pytest.skip("nobody cannot read the project")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["level"]["uid"] == "own"
    assert "no memory control" in told["refused"]
    if told["level"]["namespaces"] == "none":
        pytest.skip("no unprivileged user namespaces on this host")
    assert told["attempts"] > 100
    assert told["succeeded"] == []
    assert told["ended"] > 60
    assert told["survived"] == []
    assert told["memory"] == "MemoryError"
