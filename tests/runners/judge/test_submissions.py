"""Every submission in `submissions/` ends as its first lines say, in words that tell its author what to do.

``# expect:`` lists the verdicts that are right, ``# says:`` a part of the message, ``# mode:`` the mode (test),
``# prints:`` what the output holds, ``# seconds:`` the limit of a call and of the build.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from runners.protocol import Mode, Report, Verdict
from tests.runners.judge.conftest import QUICK

FILES = sorted((Path(__file__).parent / "submissions").glob("*.py"))


def headers(source: str) -> dict[str, str]:
    """The ``# key: value`` lines at the top."""
    found = {}
    for line in source.splitlines():
        if not line.startswith("# "):
            break
        key, _, value = line[2:].partition(":")
        found[key] = value.strip()
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_submission_ends_as_it_says(file: Path, judge_source: Callable[..., Report]) -> None:
    source = file.read_text()
    expected = headers(source)
    seconds = float(expected.get("seconds", 20))
    limits = replace(QUICK, call_seconds=seconds, build_seconds=seconds)
    report = judge_source(source, mode=Mode(expected.get("mode", "test")), limits=limits)
    assert report.verdict.value in expected["expect"].split(), (report.message, report.detail)
    assert expected.get("says", "") in report.message
    assert expected.get("prints", "") in report.output
    if report.verdict is not Verdict.PASSED:
        assert report.message
        assert report.score is None


def test_after_the_worst_submission_the_next_is_judged_as_ever(judge_source: Callable[..., Report]) -> None:
    folder = Path(__file__).parent / "submissions"
    for name in ("fork_bomb", "allocates_piecemeal", "segfault"):
        judge_source((folder / f"{name}.py").read_text())
        assert judge_source((folder / "honest.py").read_text()).verdict is Verdict.PASSED
