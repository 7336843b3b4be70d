"""The evidence of the judge, and what it means."""

from __future__ import annotations

import math

import pytest

from guard.behaviour import examine
from guard.scan import Hit
from runners.protocol import Evidence, Report, Verdict, Violation, decode, encode
from tests.guard.reports import case, report, timing


def effects(judged: Report, hits: list[Hit] | None = None) -> dict[str, str]:
    return {hit.rule.removeprefix("behaviour."): hit.effect for hit in examine(judged, hits or [])}


def test_an_honest_report_shows_nothing() -> None:
    assert effects(report(case(), case(hidden=True, label="family: normal"))) == {}


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (1.0, {}),
        (1.5, {}),
        (0.99, {"below-floor": "review"}),
        (0.5, {"below-floor": "review"}),
        (0.49, {"below-floor": "reject"}),
    ],
)
def test_nothing_is_faster_than_its_floor(share: float, expected: dict[str, str]) -> None:
    assert effects(report(case(), case(timing=timing(seconds=share * 2e-4)))) == expected


def test_without_a_floor_no_time_is_too_short() -> None:
    assert effects(report(case(timing=timing(seconds=1e-9, floor_seconds=None)))) == {}


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.nan])
def test_a_time_that_is_none_goes_to_review(seconds: float) -> None:
    assert effects(report(case(timing=timing(seconds=seconds)))) == {"no-time": "review"}


def test_uneven_calls_go_to_review() -> None:
    assert effects(report(case(timing=timing(mean_excess=0.051)))) == {"uneven-calls": "review"}
    assert effects(report(case(timing=timing(mean_excess=0.049)))) == {}
    assert effects(report(case(timing=timing(mean_excess=math.nan)))) == {}


def test_a_contestant_that_slows_the_reference_after_it_goes_to_review() -> None:
    assert effects(report(case(timing=timing(anchor_slowdown=0.04)))) == {"slows-anchor": "review"}
    assert effects(report(case(timing=timing(anchor_slowdown=0.02)))) == {}


@pytest.mark.parametrize(
    "kind", ["ran_while_stopped", "woke_itself", "extra_process", "unstoppable", "took_over", "forbidden_call"]
)
def test_what_the_judge_saw_happen_is_rejected(kind: str) -> None:
    evidence = Evidence(violations=(Violation(kind, "n: 1048576", "9233 us"),))
    [hit] = examine(report(evidence=evidence), [])
    assert (hit.effect, hit.excerpt) == ("reject", "9233 us")
    assert "n: 1048576" in hit.message


def test_a_violation_this_version_does_not_know_goes_to_review() -> None:
    evidence = Evidence(violations=(Violation("something_new", "", ""),))
    assert effects(report(evidence=evidence)) == {"something-new": "review"}


def test_a_violation_points_to_the_line_that_causes_it() -> None:
    tried = Hit("clock.self-resume", 1, "G79", "reject", "m.", "a.", line=7)
    evidence = Evidence(violations=(Violation("woke_itself", "", ""),))
    assert [hit.line for hit in examine(report(evidence=evidence), [tried])] == [7]


def test_wrong_only_on_hidden_cases_is_a_finding() -> None:
    cases = (case(), case(hidden=True, status=Verdict.WRONG, timing=None, error=7.0))
    assert effects(report(*cases, verdict=Verdict.WRONG)) == {"wrong-on-hidden": "note"}
    both = (case(status=Verdict.WRONG, timing=None), cases[1])
    assert effects(report(*both, verdict=Verdict.WRONG)) == {}


@pytest.mark.parametrize(
    ("error", "anchor", "expected"),
    [
        (0.9, 1e-4, {"error-above-anchor": "note"}),
        (0.9, 0.0, {"error-above-anchor": "note"}),
        (0.9, 0.5, {}),
        (0.02, 1e-6, {}),
        (0.3, 0.01, {"error-above-anchor": "note"}),
        (None, 0.01, {}),
        (0.3, None, {}),
    ],
)
def test_an_error_far_above_the_references(error: float | None, anchor: float | None, expected: dict[str, str]) -> None:
    assert effects(report(case(error=error, anchor_error=anchor))) == expected


def test_written_inputs_are_a_note() -> None:
    assert effects(report(evidence=Evidence(inputs_written=True))) == {"inputs-written": "note"}


def test_a_hidden_cases_values_are_not_told() -> None:
    hidden = case(hidden=True, label="n: 777; family: outliers", timing=timing(seconds=1e-5, mean_excess=1.0))
    for hit in examine(report(hidden), []):
        assert "777" not in hit.message + hit.excerpt
        assert "outliers" not in hit.message + hit.excerpt


def test_a_report_that_went_over_the_wire_means_the_same() -> None:
    judged = report(case(timing=timing(seconds=1e-5, mean_excess=math.inf)))
    assert effects(decode(Report, encode(judged))) == {"below-floor": "reject"}
