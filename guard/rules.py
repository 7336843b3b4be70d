"""Rules as data: TOML packs, read, checked and compiled.

A pack is a file with a list of ``[[rule]]`` tables; docs/guard.md describes their keys. Reading one checks all it can:
unknown or missing keys, RE2 patterns, detectors and their parameters, examples.
"""

from __future__ import annotations

import functools
import hashlib
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import re2

from guard.canonical import Views
from guard.detectors import DETECTORS, ParameterError
from guard.detectors.base import compiled
from guard.reading import Place

EFFECTS = ("note", "review", "reject")
TEXT_VIEWS = ("raw", "code", "bare", "folded")
VIEWS = (*TEXT_VIEWS, "texts", "nested")
MAX_FOUND = 20
_FAMILY = re.compile(r"[A-Z]\d{1,3}|[A-Z]{3,8}")
_ID = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")
_KEYS: dict[str, tuple[type, bool]] = {
    "id": (str, True),
    "version": (int, True),
    "family": (str, True),
    "effect": (str, True),
    "message": (str, True),
    "advice": (str, True),
    "origin": (str, True),
    "match": (list, True),
    "no_match": (list, True),
    "view": (str, False),
    "pattern": (str, False),
    "detector": (str, False),
    "parameters": (dict, False),
}


class RuleError(ValueError):
    """A rule or pack is not valid; the message names the pack, the rule and what to do."""


@dataclass(frozen=True)
class Rule:
    """One detector as data. Exactly one of `pattern` (with `view`) and `detector` is set."""

    id: str
    version: int
    family: str
    effect: str
    message: str
    advice: str
    origin: str
    match: tuple[str, ...]
    no_match: tuple[str, ...]
    view: str = ""
    pattern: str = ""
    detector: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    find: Callable[[Views], Iterable[Place]] = field(repr=False, compare=False, default=lambda _: ())

    @property
    def example_name(self) -> str:
        """The file name under which the examples are read: C++ for rules on nested sources."""
        return "example.cu" if self.view == "nested" else "example.py"


@dataclass(frozen=True)
class RuleSet:
    """The rules that are in force, and the digest that names exactly these."""

    rules: tuple[Rule, ...]
    version: str


@functools.cache
def default_rules() -> RuleSet:
    """The rules that come with the guard, compiled once a process."""
    return load(Path(__file__).parent / "rules")


def load(directory: Path) -> RuleSet:
    """Every ``*.toml`` pack in `directory`. Raises RuleError for the first rule that is not valid."""
    packs = sorted(directory.glob("*.toml"))
    if not packs:
        raise RuleError(f"{directory}: there is no *.toml pack here")
    digest = hashlib.sha256()
    rules: dict[str, Rule] = {}
    for pack in packs:
        content = pack.read_bytes()
        digest.update(content)
        for rule in parse(content.decode(), pack.name):
            if rule.id in rules:
                raise RuleError(f"{pack.name}: rule {rule.id!r} exists already; give it another id")
            rules[rule.id] = rule
    return RuleSet(tuple(rules.values()), digest.hexdigest()[:12])


def parse(text: str, name: str) -> list[Rule]:
    """The rules of one pack. Raises RuleError."""
    try:
        pack = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RuleError(f"{name}: not valid TOML: {error}") from None
    tables = pack.get("rule")
    if set(pack) != {"rule"} or not isinstance(tables, list):
        raise RuleError(f"{name}: a pack holds [[rule]] tables and nothing else")
    return [_rule(table, f"{name}: rule {table.get('id', number)!r}") for number, table in enumerate(tables, 1)]


def _rule(table: dict[str, Any], where: str) -> Rule:
    for key in table:
        if key not in _KEYS:
            raise RuleError(f"{where}: unknown key {key!r}; known are {', '.join(_KEYS)}")
    for key, (kind, required) in _KEYS.items():
        if key not in table:
            if required:
                raise RuleError(f"{where}: {key!r} is missing")
        elif not isinstance(table[key], kind) or isinstance(table[key], bool):
            raise RuleError(f"{where}: {key!r} must be a {kind.__name__}")
    _check(table, where)
    examples = {key: tuple(table[key]) for key in ("match", "no_match")}
    return Rule(**{**table, **examples}, find=_finder(table, where))


def _check(table: dict[str, Any], where: str) -> None:
    if not _ID.fullmatch(table["id"]):
        raise RuleError(f"{where}: an id is lower-case words joined by dots and dashes")
    if table["version"] < 1:
        raise RuleError(f"{where}: versions count from 1")
    if not _FAMILY.fullmatch(table["family"]):
        raise RuleError(f"{where}: family {table['family']!r} is not a letter and a number such as A1")
    if table["effect"] not in EFFECTS:
        raise RuleError(f"{where}: effect {table['effect']!r} is none of {', '.join(EFFECTS)}")
    if ("pattern" in table) == ("detector" in table):
        raise RuleError(f"{where}: give either a pattern with a view, or a detector")
    if ("pattern" in table) != ("view" in table):
        raise RuleError(f"{where}: a pattern needs a view, and a detector has none")
    if table.get("view", "raw") not in VIEWS:
        raise RuleError(f"{where}: view {table['view']!r} is none of {', '.join(VIEWS)}")
    for key in ("match", "no_match"):
        if not table[key] or not all(isinstance(example, str) for example in table[key]):
            raise RuleError(f"{where}: {key!r} must list at least one example source")


def _finder(table: dict[str, Any], where: str) -> Callable[[Views], Iterable[Place]]:
    try:
        if "detector" in table:
            build = DETECTORS.get(table["detector"])
            if build is None:
                raise RuleError(
                    f"{where}: there is no detector {table['detector']!r}; known are {', '.join(sorted(DETECTORS))}"
                )
            return build(table.get("parameters", {}))
        if "parameters" in table:
            raise RuleError(f"{where}: a pattern takes no parameters")
        return functools.partial(_search, compiled(table["pattern"]), table["view"])
    except ParameterError as error:
        raise RuleError(f"{where}: {error}") from None


def _search(pattern: re2._Regexp, view: str, source: Views) -> Iterator[Place]:
    """Where `pattern` matches in a view, in the order of the view."""
    if view == "texts":
        for text, data in source.encoded_texts():
            if found := pattern.search(data):
                yield text.place_at(_characters(text.text, found.start()))
    elif view == "nested":
        for nested in source.nested:
            if nested.lang == "cpp":
                for found in pattern.finditer(nested.text.encode(errors="replace")):
                    yield nested.place_at(_characters(nested.text, found.start()))
    else:
        yield from _search_text(pattern, view, source)


def _search_text(pattern: re2._Regexp, view: str, source: Views) -> Iterator[Place]:
    data = source.encoded(view)
    raw = source.encoded("raw")
    for found in pattern.finditer(data):
        offset = source.folded_origin(found.start()) if view == "folded" else found.start()
        yield Place(raw.count(b"\n", 0, offset) + 1, offset - raw.rfind(b"\n", 0, offset))


def _characters(text: str, byte_offset: int) -> int:
    return len(text.encode(errors="replace")[:byte_offset].decode(errors="ignore"))
