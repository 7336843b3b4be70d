from __future__ import annotations

import ast
import errno
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from runners.sandbox.level import Level
from runners.sandbox.warm import WarmServer

PROJECT = Path(__file__).resolve().parents[3]
HOST = "tests.runners.sandbox.host"
SCENARIOS = "tests.runners.sandbox.scenarios"


def test_each_cell_is_nobody_in_a_world_of_its_own(play: Any, level: Level) -> None:
    scene = play("identity")
    contestant, anchor = (scene["cells"][name]["value"] for name in ("contestant", "anchor"))
    # Whatever of Python or of this project lies below /tmp is shown there, and nothing else.
    places = (Path(place).resolve() for place in (PROJECT, sys.prefix, sys.base_prefix))
    below_tmp = {place.parts[2] for place in places if place.parts[:2] == ("/", "tmp")}
    for cell in (contestant, anchor):
        assert cell["pid"] == 1
        assert cell["processes"] == ["1"]
        assert cell["interfaces"] == ["lo"]
        assert {int(value, 16) for key, value in cell["status"].items() if key.startswith("Cap")} == {0}
        assert cell["status"]["NoNewPrivs"] == "1"
        assert cell["status"]["Seccomp"] == "2"
        assert cell["cores"] == scene["contestant_cores"]
        assert cell["build"], "compilers take locks in /build"
        assert cell["shared"] == []
        assert set(cell["temporary"]) <= below_tmp
        for kind, ours in scene["namespaces"].items():
            assert cell["namespaces"][kind] != ours, kind
    for kind in scene["namespaces"]:
        assert contestant["namespaces"][kind] != anchor["namespaces"][kind], kind
    if level.uid == "throwaway":
        assert set(contestant["ids"]) == {200_000 + scene["pid"]}
        assert set(contestant["ids"]).isdisjoint(anchor["ids"])


def test_no_secret_of_the_client_reaches_a_cell(play: Any) -> None:
    cell = play("identity")["cells"]["contestant"]["value"]
    assert "must-not-be-seen" not in cell["environ"]
    assert "must-not-be-seen" not in str(cell["variables"])
    assert cell["variables"]["HOME"] == "/build/home"
    assert cell["variables"]["TMPDIR"] == "/tmp"
    assert cell["variables"]["OMP_NUM_THREADS"] == str(len(cell["cores"]))


def test_memory_beyond_the_limit_is_killed_and_said_so(play: Any, level: Level) -> None:
    if level.memory == "none":
        pytest.skip("no memory control on this host")
    scene = play("memory_limit")
    for status, oom, peak in scene["ends"]:
        assert status == -signal.SIGKILL
        assert oom
        assert 200 << 20 < peak <= 300 << 20
    assert scene["left"] == []


def test_scratch_space_is_bounded(play: Any) -> None:
    (said,) = play("scratch_limit")["said"]
    assert said["errno"] in (errno.ENOSPC, errno.EFBIG)


def test_a_fork_bomb_stops_at_the_limit(play: Any) -> None:
    scene = play("fork_bomb")
    told = ast.literal_eval(scene["told"].replace("null", "None"))["value"]
    assert told["errno"] == errno.EAGAIN
    assert 10 <= told["children"] <= 20
    # It ends by itself once it has told, or is killed before.
    assert scene["status"] in (0, -signal.SIGKILL)
    assert scene["left"] == []


def test_killing_a_cell_leaves_no_process_of_its_tree(play: Any) -> None:
    scene = play("kill_tree")
    assert scene["planted"]
    assert scene["alive"] == []
    assert scene["left"] <= 1
    assert scene["status"] == -signal.SIGKILL
    assert scene["groups"] == []


def test_how_a_cell_ended_is_known(play: Any) -> None:
    scene = play("ends")
    assert scene["segv"][0] == -signal.SIGSEGV
    # The first process of a pid namespace ignores its own SIGABRT; abort() then ends with a trap.
    assert scene["abort"][0] in (-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGILL, -signal.SIGTRAP)
    assert [scene[how][0] for how in ("exit", "sys.exit", "raise", "return")] == [7, 3, 1, 0]
    assert all(first == again and not alive for first, again, alive in scene.values())


def test_only_the_kept_descriptors_are_open_in_order(play: Any) -> None:
    scene = play("descriptors")
    texts, fds, stdin, read = ast.literal_eval(scene["said"])
    assert texts == ["pipe 0", "pipe 1"]
    assert sorted(map(int, fds))[:6] == [0, 1, 2, 3, 4, 5]
    assert len(fds) == 7, "the seventh is the listing itself"
    assert stdin == "/dev/null"
    assert read == ""
    assert scene["printed"] == "to stdout\nto stderr\n"


def test_the_judge_stops_a_cell_and_knows_it(play: Any) -> None:
    scene = play("stopping")
    assert scene["code"] == os.CLD_STOPPED
    assert scene["ran"]
    assert scene["moved"] == 0
    assert scene["alive"]


def test_a_plan_that_cannot_be_carried_out_is_the_sandboxs_error(play: Any) -> None:
    scene = play("impossible_plan")
    assert scene["error"] == "SandboxError"
    assert scene["left"] == []


def test_our_packages_are_covered_where_they_lie_inside_a_visible_tree(
    level: Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the project is installed under /usr: the tree is seen, our code in it is not."""
    if level.namespaces == "none":
        pytest.skip("this host makes no namespaces")
    monkeypatch.setenv("KERNELCUP_SANDBOX_PATHS", str(PROJECT))
    seen = {}
    with WarmServer(f"{HOST}:serve", (HOST, SCENARIOS), allow_no_memory_control=True) as server:
        channel = server.open_judge()
        for folder in (PROJECT, PROJECT / "runners", PROJECT / "problems"):
            request = {"function": f"{SCENARIOS}:listing", "arguments": [str(folder)], "stage": "time"}
            channel.send({"scenario": f"{HOST}:in_cell", **request})
            answer = channel.receive(30)
            assert answer is not None
            seen[folder.name] = answer["result"]["lines"][0]["value"]
        channel.close()
    assert "pyproject.toml" in seen[PROJECT.name]
    assert seen["runners"] == seen["problems"] == []


def test_a_group_of_version_2_counts_kills_and_goes(play: Any) -> None:
    mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    folders = [line.split()[4] for line in mounts if " - cgroup2 " in line]
    if not folders or not os.access(folders[0], os.W_OK):
        pytest.skip("no writable version 2 hierarchy on this host")
    scene = play("version_2_group", folder=folders[0])
    assert scene == {"seen": True, "emptied": True, "left": [], "statuses": [-signal.SIGKILL] * 2}
