"""Every cheat wins against the naive harness, then meets the judge and loses; every honest look-alike ranks."""

from __future__ import annotations

from pathlib import Path

import pytest

from runners.sandbox.warm import WarmServer
from tests.cheats.corpus import Case, CorpusError, missing, read_case, read_cases
from tests.cheats.judging import meet_judge
from tests.cheats.naive import NaiveHarness

CASES = read_cases()
TRIES = 3
"""A harness that believes a wall clock is beaten more clearly on some days than on others."""


def _marks(case: Case) -> list[pytest.MarkDecorator]:
    return [pytest.mark.timing] if case.timing else []


cheats = pytest.mark.parametrize("case", [case for case in CASES if not case.honest], ids=lambda case: case.name)
honest = pytest.mark.parametrize("case", [case for case in CASES if case.honest], ids=lambda case: case.name)
everything = pytest.mark.parametrize("case", [pytest.param(case, id=case.name, marks=_marks(case)) for case in CASES])


@cheats
def test_a_cheat_wins_against_the_naive_harness(case: Case, naive: NaiveHarness) -> None:
    if case.naive not in ("wins", "accepted"):
        pytest.skip(case.naive)
    found = []
    for _ in range(TRIES):
        result = naive.evaluate(case)
        found.append(f"accepted: {result.accepted}, {result.speedup:.2f} times as fast; {result.problem}")
        if result.accepted and (case.naive == "accepted" or result.speedup >= case.harness.factor):
            return
    pytest.fail(
        f"it proves nothing, since the naive harness stops it too:\n{chr(10).join(found)}\n{result.log[-3000:]}"
    )


@honest
def test_the_naive_harness_accepts_an_honest_kernel(case: Case, naive: NaiveHarness) -> None:
    result = naive.evaluate(case)
    assert result.accepted, f"{result.problem}\n{result.log[-3000:]}"


@everything
def test_a_case_ends_as_it_must_before_the_judge(case: Case, warm: WarmServer, small_problems: Path) -> None:
    meeting = meet_judge(case, warm, small_problems)
    assert meeting.end in case.expect, f"expected {' or '.join(case.expect)}, not\n{meeting}"


def test_every_mechanism_that_needs_no_gpu_has_a_case() -> None:
    assert not missing(CASES)


KERNEL = "def custom_kernel(x):\n    return x.mean()\n"
RULES = 'family = "A2"\ntitle = "t"\nproblem = "linalg/qr"\nexpect = "wrong"\nstopped_by = "FRESH"\nnaive = "wins"\n'


@pytest.mark.parametrize(
    ("name", "rules", "kernel", "words"),
    [
        ("a2_short", RULES, KERNEL, "name it"),
        ("a03_other", RULES, KERNEL, "must agree"),
        ("a02_x", RULES.replace("A2", "A17"), KERNEL, "no mechanism"),
        ("a02_x", RULES.replace('expect = "wrong"', 'expect = "ranked"'), KERNEL, "never ends"),
        ("a02_x", RULES.replace('"wrong"', '"fine"'), KERNEL, "expect takes"),
        ("a02_x", RULES.replace('stopped_by = "FRESH"\n', ""), KERNEL, "'stopped_by' is missing"),
        ("a02_x", RULES + "speed = 3\n", KERNEL, "unknown key 'speed'"),
        ("a02_x", RULES + 'harness = {inputs = "odd"}\n', KERNEL, "inputs is one of"),
        ("a02_x", RULES, "x = 1\n", "no custom_kernel"),
        ("a02_x", "family =", KERNEL, "a02_x: "),
        ("a02_x", RULES, None, "kernel.py is missing"),
    ],
)
def test_a_malformed_case_is_refused(tmp_path: Path, name: str, rules: str, kernel: str | None, words: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "case.toml").write_text(rules)
    if kernel is not None:
        (folder / "kernel.py").write_text(kernel)
    with pytest.raises(CorpusError, match=words):
        read_case(folder)


def test_a_well_formed_case_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "a02_data_ptr_cache"
    folder.mkdir()
    (folder / "case.toml").write_text(RULES + "harness = {recheck = false, factor = 2}\n")
    (folder / "kernel.py").write_text(KERNEL)
    case = read_case(folder)
    assert (case.letter, case.number, case.expect) == ("A", 2, ("wrong",))
    assert not case.harness.recheck
