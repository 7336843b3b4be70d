"""A ranked run on a small copy of vector_mean, for kernels that compile."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runners.judge.local import judge
from runners.protocol import Brief, CaseSpec, Limits, Mode, Report
from runners.sandbox.level import probe
from runners.sandbox.warm import WarmServer
from tests.cheats.judging import small_problem

KERNELS = Path(__file__).parent / "kernels"
LIMITS = Limits(build_seconds=300, test_seconds=240, case_seconds=0.3, memory_bytes=3 << 30)
HIDDEN = (CaseSpec(0, {"n": 66003, "family": "integers"}, hidden=True),)

Ranked = Callable[..., Report]


@pytest.fixture(scope="session")
def warm() -> Iterator[WarmServer]:
    if missing := probe().missing():
        pytest.skip("this host cannot run untrusted code: " + "; ".join(missing))
    with WarmServer() as server:
        yield server


@pytest.fixture
def ranked(warm: WarmServer, tmp_path: Path) -> Ranked:
    """Judge a source, ranked unless `mode` says otherwise."""

    def run(source: str, mode: Mode = Mode.RANKED) -> Report:
        folder = small_problem("basics/vector_mean", tmp_path)
        hidden = HIDDEN if mode is Mode.RANKED else ()
        return judge(Brief(mode, str(folder), source, "kernel.py", secrets.token_hex(32), LIMITS, hidden), warm=warm)

    return run
