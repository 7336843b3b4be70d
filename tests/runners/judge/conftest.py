"""One warm server for all tests of the judge in a process."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from problems.spec import library
from runners.judge.desk import JudgeDesk, make_desk_fd, make_inputs_fd
from runners.judge.local import judge
from runners.protocol import Brief, CaseSpec, Limits, Mode, Report
from runners.sandbox.level import probe
from runners.sandbox.warm import WarmServer

QUICK = Limits(
    build_seconds=20,
    test_seconds=60,
    call_seconds=5,
    case_seconds=0.2,
    memory_bytes=1 << 30,
    processes=32,
    output_kill_bytes=1 << 20,
)

Judge = Callable[..., Report]


def own_desk(inputs_fd: int | None = None) -> JudgeDesk:
    """A desk without a contestant, with inputs of its own unless some are given."""
    fds = (make_desk_fd(), make_inputs_fd() if inputs_fd is None else inputs_fd)
    desk = JudgeDesk(*fds)
    for fd in fds[: 2 if inputs_fd is None else 1]:
        os.close(fd)
    return desk


@pytest.fixture(scope="session")
def warm() -> Iterator[WarmServer]:
    if missing := probe().missing():
        pytest.skip("this host cannot run untrusted code: " + "; ".join(missing))
    with WarmServer() as server:
        yield server


@pytest.fixture
def judge_source(warm: WarmServer) -> Judge:
    """Judge a source against a problem: ``judge_source(source, problem=…, mode=…, limits=…, hidden=…)``."""

    def run(
        source: str,
        problem: str | Path = "basics/vector_mean",
        mode: Mode = Mode.TEST,
        limits: Limits = QUICK,
        hidden: tuple[CaseSpec, ...] = (),
    ) -> Report:
        folder = problem if isinstance(problem, Path) else library()[problem]
        brief = Brief(mode, str(folder), source, "submission.py", secrets.token_hex(32), limits, hidden)
        return judge(brief, warm=warm)

    return run
