"""The whole programs of tests/cheats, by their source alone: no judge is asked."""

from __future__ import annotations

import pytest

from guard.scan import scan
from tests.cheats.corpus import Case, read_cases

CASES = read_cases()
STOPPED = [case for case in CASES if case.stopped_by == "guard" and not case.honest]
HARMLESS = [case for case in CASES if case.honest or case.expect == ("ranked",)]


def _above(case: Case) -> list[tuple[str, str, int]]:
    hits = scan(case.source, "kernel.py")
    return [(hit.rule, hit.effect, hit.line) for hit in hits if hit.effect != "note"]


@pytest.mark.parametrize("case", STOPPED, ids=lambda case: case.name)
def test_a_cheat_that_only_the_guard_stops_is_held(case: Case) -> None:
    assert _above(case)


@pytest.mark.parametrize("case", HARMLESS, ids=lambda case: case.name)
def test_a_kernel_that_must_rank_has_nothing_above_a_note(case: Case) -> None:
    assert _above(case) == []
