"""What a problem demands of its host: how it is written, and when it is met."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from problems.requirements import read_requirements, unmet
from problems.spec import SpecError, from_json, library, read_spec, to_json


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ({"memory": "cgroup"}, {"memory": ["cgroup"]}),
        ({"own_core": True, "smt": False}, {"own_core": ["yes"], "smt": ["no"]}),
        ({"swap": "Off", "aslr": "on"}, {"swap": ["no"], "aslr": ["yes"]}),
        ({"namespaces": ["root", "user"]}, {"namespaces": ["root", "user"]}),
        ({}, {}),
    ],
)
def test_answers_are_words(written: dict[str, Any], read: dict[str, list[str]]) -> None:
    assert read_requirements(written, "requires") == read


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ({"memroy": "cgroup"}, "did you mean 'memory'"),
        ({"memory": 3}, "expected yes, no or a word"),
        ({"memory": []}, "never met"),
        ({"memory": ""}, "expected yes, no or a word"),
        (["memory"], "expected keys and values"),
    ],
)
def test_what_no_host_could_answer_is_refused(written: Any, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        read_requirements(written, "limits.requires")


@pytest.mark.parametrize(
    ("facts", "lacking"),
    [
        ({"memory": "cgroup-v1", "smt": "no"}, []),
        ({"memory": "cgroup", "smt": "no"}, []),
        ({"memory": "cgroups", "smt": "no"}, ["memory"]),
        ({"memory": "none", "smt": "unknown"}, ["memory", "smt"]),
        ({}, ["memory", "smt"]),
    ],
)
def test_an_answer_does_if_it_is_of_the_kind_that_is_asked_for(facts: dict[str, str], lacking: list[str]) -> None:
    assert unmet({"memory": ("cgroup",), "smt": ("no",)}, facts) == lacking


def test_a_problem_may_demand_them_among_its_limits(tmp_path: Path) -> None:
    source = library()["basics/vector_mean"]
    for file in ("reference.py", "task.yml"):
        (tmp_path / file).write_text((source / file).read_text())
    with (tmp_path / "task.yml").open("a") as task:
        task.write("\nlimits: {case_seconds: 2, requires: {memory: cgroup, own_core: yes, smt: off}}\n")
    spec = read_spec(tmp_path, "a/b")
    assert spec.limits["requires"] == {"memory": ["cgroup"], "own_core": ["yes"], "smt": ["no"]}
    assert spec.limits["case_seconds"] == 2
    assert from_json(to_json(spec)) == spec
