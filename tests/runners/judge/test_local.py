"""The client's side of a judge: a report first, then everything cleared away, also without a report."""

from __future__ import annotations

import os
import secrets
import time
from pathlib import Path

from problems.spec import library
from runners.judge.local import PreparedJudge
from runners.protocol import Brief, Mode, Verdict
from runners.sandbox import cgroups
from runners.sandbox.warm import WarmServer
from tests.runners.judge.conftest import QUICK

HONEST = "def custom_kernel(data):\n    return data.double().mean().float().reshape(1)\n"


def brief(source: str = HONEST, mode: Mode = Mode.TEST) -> Brief:
    folder = library()["basics/vector_mean"]
    return Brief(mode, str(folder), source, "submission.py", secrets.token_hex(32), QUICK)


def groups_of(pid: int) -> list[Path]:
    found = cgroups.hierarchies()
    return [group for folder in found.folders() for group in folder.glob(f"kernelcup-{pid}.*")] if found else []


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until_gone(pid: int) -> None:
    deadline = time.monotonic() + 30
    while is_there(pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_after_a_report_closing_waits_until_the_cells_are_cleared_away(warm: WarmServer) -> None:
    prepared = PreparedJudge(warm, Mode.TEST, QUICK, None)
    pid = prepared._channel.pid
    assert prepared.judge(brief()).verdict is Verdict.PASSED
    prepared.close()
    assert groups_of(pid) == []
    wait_until_gone(pid)


def test_a_judge_without_a_report_ends_at_once(warm: WarmServer) -> None:
    prepared = PreparedJudge(warm, Mode.TEST, QUICK, None)
    pid = prepared._channel.pid
    prepared.close()
    wait_until_gone(pid)


def test_closing_twice_is_harmless(warm: WarmServer) -> None:
    prepared = PreparedJudge(warm, Mode.TEST, QUICK, None)
    prepared.judge(brief("import nothing_of_this_name\n"))
    prepared.close()
    prepared.close()
