"""Detectors by path: what is called, assigned or read, whatever it is named in the source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

import re2

from guard.canonical import Views
from guard.detectors.base import Detect, compiled, known, paths, words
from guard.detectors.origins import Origins
from guard.reading import CallSite, Mention, Place, Reading
from guard.values import Const, Seq, path_of

Noted = TypeVar("Noted", CallSite, Mention)


def _matching(views: Views, kind: str, names: re2._Regexp) -> Iterator[tuple[Reading, Any]]:
    """What was noted under a path that `names` matches. The paths of a source are listed once."""
    index = views.memo.get(kind)
    if index is None:
        by_path: dict[str, list[tuple[Reading, Any]]] = {}
        for reading in views.readings:
            for noted in getattr(reading, kind):
                by_path.setdefault(noted.path, []).append((reading, noted))
        index = views.memo[kind] = ("\n".join(by_path).encode(errors="replace"), by_path)
    text, by_path = index
    for found in names.finditer(text):
        yield from by_path.get(found.group().decode(), ())


def call(parameters: dict[str, Any]) -> Detect:
    """Calls of `names`.

    Of `arguments` each pattern must match some text of the call; of `passing` some argument's path; of `derived` the
    path of something that an argument is computed from; one of `numbers` must be the first argument. `where` is
    ``import`` for calls outside of functions.
    """
    known(parameters, names=list, arguments=list, passing=list, derived=list, numbers=list, where=str)
    names = paths(words(parameters, "names", required=True))
    texts = [compiled(pattern) for pattern in words(parameters, "arguments")]
    passed = paths(words(parameters, "passing")) if parameters.get("passing") else None
    derived = paths(words(parameters, "derived")) if parameters.get("derived") else None
    numbers = tuple(parameters.get("numbers", ()))
    only_import = parameters.get("where") == "import"

    def detect(views: Views) -> Iterator[Place]:
        origins: dict[int, Origins] = {}
        for reading, site in _matching(views, "calls", names):
            if only_import and site.function:
                continue
            if numbers and not (site.arguments and site.arguments[0] in [Const(number) for number in numbers]):
                continue
            if passed and not any(passed.search(path.encode()) for path in _given_paths(site)):
                continue
            if derived:
                known_here = origins.get(id(reading)) or origins.setdefault(id(reading), Origins(reading, derived))
                if not known_here.reach(site):
                    continue
            given = [text.encode(errors="replace") for text in site.texts()]
            if all(any(pattern.search(text) for text in given) for pattern in texts):
                yield reading.place(site.node)

    return detect


def _given_paths(site: CallSite) -> Iterator[str]:
    """The paths of a call's arguments, and of the items of those that are lists or tuples."""
    for value in (*site.arguments, *site.keywords.values()):
        yield path_of(value)
        if isinstance(value, Seq):
            yield from map(path_of, value.items)


def store(parameters: dict[str, Any]) -> Detect:
    """Assignments to `names`, by ``=``, ``setattr``, ``__dict__``, ``del`` or ``mock.patch``, but not to `besides`.

    With `values`, only of what has such a path.
    """
    known(parameters, names=list, besides=list, values=list)
    names = paths(words(parameters, "names", required=True))
    besides = paths(words(parameters, "besides")) if parameters.get("besides") else None
    values = paths(words(parameters, "values")) if parameters.get("values") else None

    def detect(views: Views) -> Iterator[Place]:
        for reading, mention in _matching(views, "stores", names):
            if besides and besides.search(mention.path.encode()):
                continue
            if values is None or values.search(path_of(mention.value).encode()):
                yield reading.place(mention.node)

    return detect


def read(parameters: dict[str, Any]) -> Detect:
    """Reads of `names`, also by import or ``getattr``."""
    known(parameters, names=list)
    names = paths(words(parameters, "names", required=True))

    def detect(views: Views) -> Iterator[Place]:
        for reading, mention in _matching(views, "reads", names):
            yield reading.place(mention.node)

    return detect
