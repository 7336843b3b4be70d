"""Rewrites that keep the meaning keep the hits: what is rejected in one spelling is rejected in every other."""

from __future__ import annotations

import ast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guard.rules import Rule, default_rules
from guard.scan import scan
from tests.guard.rewriting import renamed, respelled, stored_as_text, wrapped
from tests.guard.sources import Case, cheats, honest

REJECTING = [
    pytest.param(rule, example, id=f"{rule.id}-{at}")
    for rule in default_rules().rules
    if rule.effect == "reject" and rule.view != "nested"
    for at, example in enumerate(rule.match)
]
CHEATS = [case for case in cheats() if case.expect != "note"]


def ids(source: str) -> set[str]:
    return {hit.rule for hit in scan(source)}


@pytest.mark.parametrize(("rule", "example"), REJECTING)
def test_a_rejection_survives_other_names_and_places(rule: Rule, example: str) -> None:
    assert rule.id in ids(renamed(example, "v"))
    assert rule.id in ids(wrapped(example))
    assert rule.id in ids(wrapped(renamed(example, "_l")))
    assert rule.id in ids(stored_as_text(example))


@pytest.mark.parametrize(("rule", "example"), REJECTING)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_rejection_survives_other_spellings(rule: Rule, example: str, data: st.DataObject) -> None:
    spelled = respelled(example, lambda count: data.draw(st.integers(0, count - 1)))
    assert rule.id in ids(spelled), spelled
    assert rule.id in ids(renamed(spelled, "q")), spelled


@pytest.mark.parametrize("case", CHEATS, ids=lambda case: case.name)
def test_names_decide_nothing(case: Case) -> None:
    assert {hit.family for hit in scan(renamed(case.source, "a"))} >= {case.family}


@pytest.mark.parametrize("case", honest(), ids=lambda case: case.name)
def test_honest_kernels_stay_honest_under_every_name(case: Case) -> None:
    for name in ("cache", "ptrace", "stream"):
        again = renamed(case.source, name)
        ast.parse(again)
        assert [hit.rule for hit in scan(again) if hit.effect != "note"] == []
