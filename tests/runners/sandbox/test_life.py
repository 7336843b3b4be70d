from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from problems.spec import library
from runners.judge.local import PreparedJudge
from runners.protocol import Brief, Limits, Mode
from runners.sandbox import cgroups, namespaces
from runners.sandbox.level import Level, probe
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


LITTER = """
import ctypes, os, threading, time

try:
    if (child := os.fork()) == 0:
        os._exit(0)
    os.waitpid(child, 0)
    here = "build"
except OSError:
    here = "time"

def litter():
    for place in ("/tmp/litter", "/dev/shm/litter", "/build/litter"):
        with open(place, "wb") as file:
            file.write(bytes(1 << 20))
    for _ in range(3):
        if here == "time":
            threading.Thread(target=time.sleep, args=(1000,)).start()
        elif os.fork() == 0:
            os.setsid()
            time.sleep(1000)
    ctypes.CDLL(None).prctl(15, b"littered", 0, 0, 0)
    while True:
        time.sleep(1)

if STAGE == "load":
    litter()

def custom_kernel(x):
    if STAGE == here or STAGE == "test":
        litter()
    return x.mean().reshape(1)
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


@pytest.fixture(scope="module")
def real() -> Any:
    if lacking := probe().missing():
        pytest.skip("this host cannot run untrusted code: " + "; ".join(lacking))
    with WarmServer() as server:
        yield server


def owned_by(uids: set[int]) -> list[str]:
    """Processes, and files in the places that everybody may write to, of these users."""
    found = []
    for place in ("/proc", "/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run"):
        for entry in os.scandir(place) if os.path.isdir(place) else ():
            with contextlib.suppress(OSError):
                if entry.stat(follow_symlinks=False).st_uid in uids:
                    found.append(entry.path)
    return found


def named(name: str, pids: list[int]) -> bool:
    for pid in pids:
        with contextlib.suppress(OSError):
            if Path(f"/proc/{pid}/comm").read_text().strip() == name:
                return True
    return False


@pytest.mark.parametrize("stage", ["load", "test", "time"])
def test_nothing_is_left_of_a_judge_that_was_killed(real: WarmServer, stage: str) -> None:
    """Whatever stage it was in, and whatever litter the submission had made by then."""
    mounts = [Path(f"/proc/{pid}/mountinfo").read_text() for pid in (os.getpid(), real._process.pid)]
    prepared = PreparedJudge(real, Mode.BENCHMARK if stage == "time" else Mode.TEST, Limits(), None)
    judge = prepared._channel.pid
    uids = {namespaces.throwaway_uid(judge), namespaces.throwaway_uid(judge, second=True)}
    source = f"STAGE = {stage!r}\n{LITTER}"
    mode = Mode.BENCHMARK if stage == "time" else Mode.TEST
    brief = Brief(mode, str(library()["basics/vector_mean"]), source, "submission.py", "11" * 32, Limits())
    ended = threading.Thread(target=prepared.judge, args=(brief,))
    ended.start()
    assert until(lambda: named("littered", tree(judge)), 60)
    family = [judge, *tree(judge)]
    groups = [path for folder in _folders() for path in folder.glob(f"{cgroups.PREFIX}{cgroups.owner(judge)}-*")]
    if real.level().uid == "throwaway":
        assert owned_by(uids), "the search finds what lives"
    os.kill(judge, signal.SIGKILL)
    ended.join(20)
    prepared.close()
    assert until(lambda: all(gone(pid) for pid in family))
    assert until(lambda: not [group for group in groups if group.exists()])
    assert until(lambda: not owned_by(uids))
    assert [Path(f"/proc/{pid}/mountinfo").read_text() for pid in (os.getpid(), real._process.pid)] == mounts
    assert not list(Path("/dev/shm").glob("*litter*"))


def _folders() -> tuple[Path, ...]:
    found = cgroups.hierarchies()
    return found.folders() if found else ()


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
    assert told["group"]["states"] == ["R", "R"]
    assert told["ended"] > 60
    assert told["survived"] == []
    assert told["memory"] == "MemoryError"
