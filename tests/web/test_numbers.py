"""Figures: honest digits, one unit a column, nothing that reads as zero but is not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from web import bars, numbers
from web.author_text import visible
from web.highlight import numbered
from web.markdown import render_markdown


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0012345, "0.00123"), (1.2345, "1.23"), (9.996, "10.0"), (99.96, "100"), (1234.5, "1230"), (0.0, "0")],
)
def test_three_significant_digits(value: float, text: str) -> None:
    assert numbers.significant(value) == text


def test_a_column_has_the_unit_of_its_smallest_time() -> None:
    column = [3.2e-6, 4.1e-3, None]
    unit = numbers.time_unit(column)
    assert unit == "µs"
    assert [numbers.in_unit(value, unit) for value in column] == ["3.20", "4100", "–"]


@pytest.mark.parametrize(
    ("value", "low", "high", "shown"),
    [
        (3.41234, 3.4083, 3.4163, ("3.412", "3.408", "3.416")),
        (1.8712, 1.841, 1.9014, ("1.87", "1.84", "1.90")),
        (41.23, 40.1, 42.4, ("41.2", "40.1", "42.4")),
        (1.00004, 0.99992, 1.00016, ("1.00004", "0.99992", "1.00016")),
        (120.0, 100.0, 140.0, ("120", "100", "140")),
    ],
)
def test_uncertainty_limits_the_digits(value: float, low: float, high: float, shown: tuple[str, str, str]) -> None:
    assert numbers.with_interval(value, low, high) == shown


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (0.0, "0"),
        (2.2e-8, "<\u202f0.001"),
        (0.0341, "0.034"),
        (37.25, "37"),
        (1.68e6, "1.7\u202f×\u202f10⁶"),
        (9.99e9, "1.0\u202f×\u202f10¹⁰"),
        (None, "–"),
    ],
)
def test_errors_far_from_their_limit_say_only_how_far(error: float | None, text: str) -> None:
    assert numbers.error_ratio(error) == text


def test_decimal_points_meet() -> None:
    assert numbers.aligned(["3.412", "1.87", "12"]) == ["3.412", "1.87\u2007", "12\u2007\u2007\u2007\u2007"]


def test_spans_of_time_are_in_their_largest_unit() -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    assert numbers.ago(now - timedelta(seconds=61), now) == "1 minute ago"
    assert numbers.until(now + timedelta(hours=50), now) == "2 days"


def test_percent_never_claims_a_hundred_for_less() -> None:
    assert [numbers.percent(share) for share in (0.0042, 0.624, 0.9949, 0.9999, 1.4, None)] == [
        "0.42", "62", "99", "100", "140", "–",
    ]  # fmt: skip


def test_bars_stay_inside_and_stay_visible() -> None:
    scale = bars.scale([(3.408, 3.416), (0.9304, 0.9316)])
    bar = scale.interval(3.412, 3.408, 3.416)
    assert bar.width >= 1
    assert 0 <= bar.left <= bar.dot <= bar.left + bar.width <= 100
    assert scale.at(0.93) < scale.one < scale.at(3.4)
    assert bars.scale([]).one == 50


def test_invisible_characters_become_visible_and_line_ends_one_kind() -> None:
    assert visible("a\r\nb\u202ec\x1b[1;31md\x00\t") == "a\nb⟨U+202E⟩cd⟨U+0000⟩\t"


def test_marked_lines_and_balanced_spans() -> None:
    html = str(numbered('"""a\nb"""\nx = "<b>"\n', "k.py", (2,)))
    lines = html.split("\n")
    assert len(lines) == 3
    assert 'class="line hit" id="L2"' in lines[1]
    assert all(line.count("<span") == line.count("</span>") for line in lines)
    assert "<b>" not in html


def test_statements_hold_no_script() -> None:
    html = str(render_markdown("# T\n<script>x</script>\n[a](javascript:x) ![i](http://e/x.png)\n\n```py\nx<y\n```\n"))
    assert "<script" not in html
    assert 'href="javascript' not in html
    assert "<img" not in html
    assert "<h2>T</h2>" in html
    assert "x</span><span" in html
