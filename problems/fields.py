"""Checks of single values of ``task.yml``. Each raises SpecError with the key and what was expected."""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from typing import Any

from problems.model import Param, SpecError

MAX_TEXT = 1 << 16


def text(value: Any, where: str) -> str:
    """`value`, if it is text."""
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise SpecError(f"task.yml: {where}: expected text of at most {MAX_TEXT} characters, not {_shown(value)}")
    return value


def boolean(value: Any, where: str) -> bool:
    """`value`, if it is true or false."""
    if not isinstance(value, bool):
        raise SpecError(f"task.yml: {where}: expected true or false, not {_shown(value)}")
    return value


def integer(value: Any, where: str, least: int) -> int:
    """`value`, if it is an integer of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise SpecError(f"task.yml: {where}: expected an integer of at least {least}, not {_shown(value)}")
    return value


def seconds(value: Any, where: str) -> float:
    """`value`, if it is a sensible number of seconds."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 86400:
        raise SpecError(f"task.yml: {where}: expected seconds, above 0 and at most a day, not {_shown(value)}")
    return float(value)


def one_of(value: Any, where: str, options: Sequence[str]) -> str:
    """`value`, if it is one of `options`."""
    if value not in options:
        raise SpecError(f"task.yml: {where}: expected {' or '.join(options)}, not {_shown(value)}")
    return str(value)


def words(value: Any, where: str) -> tuple[str, ...]:
    """`value`, a list of words or nothing, as a tuple."""
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) and 0 < len(item) <= 64 for item in value):
        raise SpecError(f"task.yml: {where}: expected a list of words, not {_shown(value)}")
    return tuple(value)


def mapping(value: Any, where: str, known: Sequence[str] | None = None) -> dict[str, Any]:
    """`value`, if it is a mapping with no keys but those in `known`."""
    if not isinstance(value, dict):
        raise SpecError(f"task.yml: {where}: expected keys and values, not {_shown(value)}")
    for key in value if known is not None else ():
        if key not in (known or ()):
            close = difflib.get_close_matches(key, known or (), n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(known or ())}"
            raise SpecError(f"task.yml: {where}: unknown key {key!r}; {hint}")
    return value


def params(value: Any, where: str) -> dict[str, Param]:
    """`value`, if it is a flat mapping of identifiers to integers, finite floats, short strings and booleans."""
    checked: dict[str, Param] = {}
    for name, item in mapping(value, where).items():
        if not name.isidentifier() or name.startswith("__"):
            raise SpecError(f"task.yml: {where}: {name!r} is not a parameter name; use letters, digits and _")
        if not isinstance(item, (int, float, str, bool)):
            raise SpecError(f"task.yml: {where}.{name}: expected a number, text or true/false, not {_shown(item)}")
        if isinstance(item, str) and (not 0 < len(item) <= 64 or not item.isprintable() or ";" in item):
            raise SpecError(f"task.yml: {where}.{name}: text is 1 to 64 printable characters without ';'")
        if isinstance(item, (int, float)) and not (math.isfinite(item) and abs(item) < 2**63):
            raise SpecError(f"task.yml: {where}.{name}: {item} is out of range")
        checked[name] = item
    return checked


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "…"
