"""A detector for native sources in which one thing is done and another, that would make it harmless, is not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from guard.canonical import Views
from guard.detectors.base import Detect, ParameterError, compiled, known
from guard.reading import Place


def native(parameters: dict[str, Any]) -> Detect:
    """Matches of `pattern` in native sources that nowhere match `without`."""
    known(parameters, pattern=str, without=str)
    if not parameters.get("pattern") or not parameters.get("without"):
        raise ParameterError("parameters 'pattern' and 'without' must both be given")
    pattern, without = compiled(parameters["pattern"]), compiled(parameters["without"])

    def detect(views: Views) -> Iterator[Place]:
        for nested in views.nested:
            data = nested.text.encode(errors="replace")
            if nested.lang == "cpp" and not without.search(data):
                for found in pattern.finditer(data):
                    yield nested.place_at(len(data[: found.start()].decode(errors="ignore")))

    return detect
