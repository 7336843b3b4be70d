from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from runners.sandbox.level import Level, probe
from runners.sandbox.warm import WarmServer

HOST = "tests.runners.sandbox.host"
PRELOAD = ("numpy", "torch", "pyseccomp", HOST, "tests.runners.sandbox.attempts", "tests.runners.sandbox.scenarios")
Play = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def level() -> Level:
    return probe()


@pytest.fixture(scope="session")
def warm(level: Level) -> Iterator[WarmServer]:
    if level.namespaces == "none":
        pytest.skip(f"this host makes no namespaces: {level.missing()}")
    os.environ["KERNELCUP_TEST_SECRET"] = "must-not-be-seen"
    with WarmServer(f"{HOST}:serve", PRELOAD, allow_no_memory_control=True) as server:
        del os.environ["KERNELCUP_TEST_SECRET"]
        yield server


@pytest.fixture
def play(warm: WarmServer) -> Iterator[Play]:
    """Play a scene in a judge of its own."""
    channel = warm.open_judge()

    def act(scenario: str, **request: Any) -> dict[str, Any]:
        module = "host" if scenario == "in_cell" else "scenarios"
        channel.send({"scenario": f"tests.runners.sandbox.{module}:{scenario}", **request})
        answer = channel.receive(120)
        assert answer is not None, "the judge died"
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    yield act
    channel.close()
