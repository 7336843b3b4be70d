"""What all detectors share: how parameters are read, patterns compiled, and paths matched."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import re2

from guard.canonical import Views
from guard.reading import Place

Detect = Callable[[Views], Iterable[Place]]
Build = Callable[[dict[str, Any]], Detect]


class ParameterError(ValueError):
    """A detector's parameters are not what it takes, or a pattern is not valid RE2."""


def compiled(pattern: str) -> re2._Regexp:
    """`pattern` as RE2, which matches in time linear in the text. Raises ParameterError."""
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0].decode() if error.args and isinstance(error.args[0], bytes) else str(error)
        raise ParameterError(f"pattern {pattern!r} is not valid RE2: {reason}") from None


def paths(names: Iterable[str]) -> re2._Regexp:
    """A pattern for whole lines that are one of `names`.

    ``*`` stands for any text without a call or item, ``**`` for any text.
    """
    return compiled("(?m)^(?:" + "|".join(_glob(name) for name in names) + ")$")


def _glob(name: str) -> str:
    pieces = (r"[^(\[\n]*".join(re2.escape(part) for part in piece.split("*")) for piece in name.split("**"))
    return ".*".join(pieces)


def known(parameters: dict[str, Any], **kinds: type | tuple[type, ...]) -> None:
    """Check that `parameters` has only the keys of `kinds`, each of its type."""
    for key, value in parameters.items():
        if key not in kinds:
            raise ParameterError(f"unknown parameter {key!r}; known are {', '.join(kinds) or 'none'}")
        if not isinstance(value, kinds[key]):
            raise ParameterError(f"parameter {key!r} is of the wrong type")


def words(parameters: dict[str, Any], key: str, *, required: bool = False) -> tuple[str, ...]:
    """A parameter that is a list of texts."""
    value = parameters.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ParameterError(f"parameter {key!r} must be a list of texts")
    if required and not value:
        raise ParameterError(f"parameter {key!r} must list at least one text")
    return tuple(value)
