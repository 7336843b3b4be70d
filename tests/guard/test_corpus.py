"""Every cheat is seen for what it is; no honest kernel that looks like one is hurt."""

from __future__ import annotations

import pytest

from guard.scan import scan
from tests.guard.sources import RANK, Case, cheats, honest


@pytest.mark.parametrize("case", cheats(), ids=lambda case: case.name)
def test_a_cheat_has_its_effect_in_its_family(case: Case) -> None:
    hits = scan(case.source)
    in_family = [hit.effect for hit in hits if hit.family == case.family]
    assert case.expect in in_family, [(hit.rule, hit.effect, hit.line) for hit in hits]
    assert max((hit.effect for hit in hits), key=RANK.__getitem__) == case.expect


@pytest.mark.parametrize("case", cheats(), ids=lambda case: case.name)
def test_a_hit_points_into_the_source(case: Case) -> None:
    lines = case.source.split("\n")
    for hit in scan(case.source):
        assert 1 <= hit.line <= len(lines)
        assert 1 <= hit.column <= len(lines[hit.line - 1]) + 1
        assert hit.excerpt == lines[hit.line - 1].strip()[:160]


@pytest.mark.parametrize("case", honest(), ids=lambda case: case.name)
def test_an_honest_kernel_has_nothing_above_a_note(case: Case) -> None:
    above = [(hit.rule, hit.effect, hit.line, hit.excerpt) for hit in scan(case.source) if hit.effect != "note"]
    assert above == []


def test_the_corpus_covers_the_families_that_a_source_can_show() -> None:
    letters = {case.family[0] for case in cheats()}
    assert letters >= {"A", "B", "C", "D"}
    assert len({case.family for case in cheats()}) >= 35
