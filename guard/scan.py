"""Runs the rules over a source and tells where each one hits."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from guard.canonical import Views, views
from guard.reading import Place
from guard.rules import MAX_FOUND, Rule, RuleSet, default_rules
from guard.values import TooMuchWork

UNREADABLE = "source.unreadable"
_EXCERPT = 160


@dataclass(frozen=True)
class Hit:
    """What a rule, or the evidence, says about a run. `line` and `column` count from 1; 0 is the whole."""

    rule: str
    version: int
    family: str
    effect: str
    message: str
    advice: str
    line: int = 0
    column: int = 0
    excerpt: str = ""


def scan(source: str, file_name: str = "submission.py", rules: RuleSet | None = None) -> list[Hit]:
    """Every hit in `source`, by line. What cannot be read is a hit for review of its own."""
    seen = views(source, file_name)
    lines = source.split("\n")
    hits = [unreadable(seen.problem)] if seen.problem else []
    for rule in (rules or default_rules()).rules:
        try:
            hits += _hits(rule, seen, lines)
        except (TooMuchWork, RecursionError) as error:
            trouble = str(error) if isinstance(error, TooMuchWork) else "it is nested too deeply to be read"
            if not any(hit.rule == UNREADABLE for hit in hits):
                hits.append(unreadable(trouble))
    return sorted(hits, key=lambda hit: (hit.line, hit.column, hit.rule))


def unreadable(problem: str) -> Hit:
    """The hit for a source that could not be read."""
    return Hit(
        rule=UNREADABLE,
        version=1,
        family="D56",
        effect="review",
        message=f"The source could not be read: {problem}",
        advice="Write it plainly, as Python that can be read without being run, and submit it again.",
    )


def _hits(rule: Rule, seen: Views, lines: list[str]) -> list[Hit]:
    places = dict.fromkeys(itertools.islice(rule.find(seen), 10 * MAX_FOUND))
    return [_hit(rule, place, lines) for place in itertools.islice(places, MAX_FOUND)]


def _hit(rule: Rule, place: Place, lines: list[str]) -> Hit:
    written = lines[place.line - 1] if 0 < place.line <= len(lines) else ""
    before = written.encode()[: max(place.column - 1, 0)].decode(errors="ignore")
    return Hit(
        rule=rule.id,
        version=rule.version,
        family=rule.family,
        effect=rule.effect,
        message=rule.message,
        advice=rule.advice,
        line=place.line,
        column=len(before) + 1,
        excerpt=printable(written.strip()[:_EXCERPT]),
    )


def printable(text: str) -> str:
    """`text` with every control or invisible character shown as its code, for terminals, logs and pages."""
    return "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in text)
