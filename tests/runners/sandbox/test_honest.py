from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import pytest

from tests.runners.sandbox.honest import WORKS

CASES = [(stage, function, expected) for function, stages, expected in WORKS for stage in stages]


@pytest.mark.parametrize(
    ("stage", "function", "expected"), CASES, ids=[f"{stage}-{function.__name__}" for stage, function, _ in CASES]
)
def test_honest_code_works(play: Any, stage: str, function: Callable[[], Any], expected: Any) -> None:
    if function.__name__ in ("compile_and_load", "inline_extension") and not shutil.which("g++"):
        pytest.skip("no g++ on this host")
    result = play("in_cell", function=f"{function.__module__}:{function.__name__}", stage=stage, seconds=100)
    assert result["lines"], result
    assert result["lines"][0].get("value") == expected, result
    assert result["status"] == 0


def test_what_was_built_is_loaded_in_the_timed_stage_and_unseen_by_the_anchor(play: Any) -> None:
    if not shutil.which("g++"):
        pytest.skip("no g++ on this host")
    result = play("build_then_time")
    assert result["build"][0] == {"value": 42}
    assert result["contestant"][0] == {"value": 42}
    assert result["anchor"][0] == {"value": ["home"]}
