"""Rule packs: their examples hold, and a pack that is not valid says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from guard.rules import Rule, RuleError, default_rules, load, parse
from guard.scan import scan

EXAMPLES = [
    (rule, expected, example)
    for rule in default_rules().rules
    for expected, examples in ((True, rule.match), (False, rule.no_match))
    for example in examples
]
VALID = """
[[rule]]
id = "x.y"
version = 1
family = "A1"
effect = "note"
view = "code"
pattern = "abc"
message = "m"
advice = "a"
origin = "person: test"
match = ["abc"]
no_match = ["abd"]
"""


@pytest.mark.parametrize(
    ("rule", "expected", "example"),
    EXAMPLES,
    ids=[f"{rule.id}-{'match' if expected else 'no_match'}-{at}" for at, (rule, expected, _) in enumerate(EXAMPLES)],
)
def test_a_rules_examples_hold(rule: Rule, expected: bool, example: str) -> None:
    hits = [hit.rule for hit in scan(example, rule.example_name)]
    assert (rule.id in hits) is expected


@pytest.mark.parametrize("rule", default_rules().rules, ids=lambda rule: rule.id)
def test_authors_are_told_what_to_do_and_not_how_they_were_found(rule: Rule) -> None:
    told = rule.message + rule.advice
    assert rule.message.endswith(".")
    assert rule.advice.endswith(".")
    assert rule.id not in told
    assert not rule.pattern or rule.pattern not in told


def test_the_same_packs_have_the_same_version_and_a_change_has_another(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(VALID)
    first = load(tmp_path)
    assert load(tmp_path).version == first.version
    (tmp_path / "a.toml").write_text(VALID.replace('"abc"', '"abc+"', 1))
    assert load(tmp_path).version != first.version


def test_a_pack_of_ones_own_is_used_alone(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(VALID)
    hits = scan("x = 1\ny = abc  # abc\n", rules=load(tmp_path))
    assert [(hit.rule, hit.line, hit.column) for hit in hits] == [("x.y", 2, 5)]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("version = 1", "version = 0"), "count from 1"),
        (('family = "A1"', 'family = "cache"'), "letter and a number"),
        (('effect = "note"', 'effect = "ban"'), "note, review, reject"),
        (('id = "x.y"', 'id = "X Y"'), "lower-case"),
        (('pattern = "abc"', 'pattern = "a(b"'), "not valid RE2"),
        (('pattern = "abc"', 'pattern = "(?=a)b"'), "not valid RE2"),
        (('view = "code"', 'view = "tree"'), "is none of"),
        (('view = "code"\n', ""), "needs a view"),
        (('pattern = "abc"\n', ""), "either a pattern"),
        (('pattern = "abc"', 'pattern = "abc"\ndetector = "call"'), "either a pattern"),
        (('match = ["abc"]', "match = []"), "at least one example"),
        (('advice = "a"\n', ""), "'advice' is missing"),
        (('advice = "a"', 'advice = "a"\nadvise = "b"'), "unknown key 'advise'"),
        (("version = 1", 'version = "1"'), "must be a int"),
        (('view = "code"\npattern = "abc"', 'detector = "magic"'), "no detector 'magic'"),
        (('view = "code"\npattern = "abc"', 'detector = "call"'), "'names' must list"),
        (('view = "code"\npattern = "abc"', 'detector = "call"\nparameters = { name = ["x"] }'), "unknown parameter"),
        (('view = "code"\npattern = "abc"', 'detector = "output_cache"\nparameters = { key = "x" }'), "must be one of"),
        (("[[rule]]", "[[rules]]"), "[[rule]] tables and nothing else"),
        (("[[rule]]", "[[rule]"), "not valid TOML"),
    ],
)
def test_a_pack_that_is_not_valid_says_why(change: tuple[str, str], complaint: str) -> None:
    with pytest.raises(RuleError) as error:
        parse(VALID.replace(*change, 1), "mine.toml")
    assert complaint in str(error.value)
    assert "mine.toml" in str(error.value)


def test_two_rules_of_one_id_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(VALID)
    (tmp_path / "b.toml").write_text(VALID)
    with pytest.raises(RuleError, match="exists already"):
        load(tmp_path)


def test_a_folder_without_packs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match="there is no"):
        load(tmp_path)
