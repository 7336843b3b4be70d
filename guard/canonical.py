"""Turns a source into views, so that a rule is written once, whatever way a source spells what it does.

=========  ============================================================================================
raw        as written
code       comments blanked
bare       comments and the contents of strings blanked
folded     `code` with constants folded, aliases resolved, ``getattr`` with a known name as an attribute
texts      every constant text of the source, folded, each for itself
nested     C++ and CUDA sources, macros expanded, and Python sources that are executed
=========  ============================================================================================

All of it takes time linear in the size of the source, or ends with a :attr:`Views.problem`.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from guard.cpp import expanded, looks_like_cpp
from guard.lexing import without_comments, without_cpp_comments, without_strings
from guard.reader import Reader
from guard.reading import Place, Reading, Text
from guard.values import Budget, Const, Partial, Ref, TooMuchWork, Value

MAX_SOURCE = 2_000_000
CPP_SUFFIXES = (".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".hip")


@dataclass(frozen=True)
class NestedSource:
    """A source inside the source. `lang` is ``cpp`` or ``python``; `line` is where it starts in the file."""

    lang: str
    text: str
    line: int
    origin: Text

    def place_at(self, offset: int) -> Place:
        """Where the character at `offset` of `text` comes from."""
        line = self.text.count("\n", 0, offset)
        start = Place(self.origin.place.line, self.origin.place.column)
        if line == 0 or not self.origin.spread:
            return start if line else Place(start.line, start.column if self.line > 1 else offset + 1)
        return Place(min(self.line + line, self.origin.end_line), offset - self.text.rfind("\n", 0, offset))


@dataclass
class Views:
    """The views of one source. `problem` says why it could not be read; then the other views may be empty."""

    raw: str
    code: str = ""
    bare: str = ""
    folded: str = ""
    nested: list[NestedSource] = field(default_factory=list)
    tree: ast.Module | None = None
    problem: str = ""
    readings: list[Reading] = field(default_factory=list)
    memo: dict[str, Any] = field(default_factory=dict)
    pieces: list[tuple[int, int, int]] = field(default_factory=list)

    @property
    def texts(self) -> list[Text]:
        """Every constant text of the source and of the Python sources in it; docstrings are not among them."""
        return [text for reading in self.readings for text in reading.texts]

    def encoded(self, view: str) -> bytes:
        """The view of that name as UTF-8, in which patterns are searched."""
        made = self.memo.get("bytes " + view)
        if made is None:
            made = self.memo["bytes " + view] = str(getattr(self, view)).encode(errors="replace")
        return bytes(made)

    def encoded_texts(self) -> list[tuple[Text, bytes]]:
        """The texts and their UTF-8."""
        if "texts" not in self.memo:
            self.memo["texts"] = [(text, text.text.encode(errors="replace")) for text in self.texts]
        made: list[tuple[Text, bytes]] = self.memo["texts"]
        return made

    def folded_origin(self, offset: int) -> int:
        """The offset in `raw` that the byte at `offset` of `folded` comes from."""
        low, high = 0, len(self.pieces)
        while low < high:
            middle = (low + high) // 2
            if self.pieces[middle][0] <= offset:
                low = middle + 1
            else:
                high = middle
        if low == 0:
            return offset
        start, origin, length = self.pieces[low - 1]
        return origin + min(offset - start, length)


def views(source: str, file_name: str = "submission.py") -> Views:
    """All views of `source`. Never raises for what a source contains: it sets :attr:`Views.problem` instead."""
    made = Views(source)
    made.problem = _unreadable(source)
    if made.problem:
        return made
    try:
        if file_name.lower().endswith(CPP_SUFFIXES):
            _view_cpp(made)
        else:
            _view_python(made)
    except TooMuchWork as error:
        made.problem = str(error)
    except RecursionError:
        made.problem = "it is nested too deeply to be read"
    except MemoryError:
        made.problem = "it takes too much memory to read"
    return made


def _unreadable(source: str) -> str:
    if len(source) > MAX_SOURCE:
        return f"it is longer than {MAX_SOURCE} characters"
    if "\0" in source:
        return "it contains null characters"
    try:
        source.encode()
    except UnicodeEncodeError:
        return "it is not valid Unicode text"
    return ""


def _view_cpp(made: Views) -> None:
    made.code = made.bare = without_cpp_comments(made.raw)
    lines = made.raw.count("\n") + 1
    whole = Text(made.raw, True, Place(1, 1), lines, True)
    made.folded = expanded(made.raw)
    made.nested.append(NestedSource("cpp", made.folded, 1, whole))


def _view_python(made: Views) -> None:
    made.code = without_comments(made.raw)
    made.bare = without_strings(made.code)
    made.folded = made.code
    try:
        made.tree = ast.parse(made.raw)
    except SyntaxError as error:
        made.problem = f"it is not valid Python: {error.msg} (line {error.lineno})"
        return
    except ValueError as error:
        made.problem = f"it is not valid Python: {error}"
        return
    reader = Reader(Budget())
    made.readings = reader.readings
    try:
        reader.read(made.tree)
    finally:
        made.problem = next(iter(reader.troubles), "")
        _collect_nested(made)
    _fold(made)


def _collect_nested(made: Views) -> None:
    seen: set[str] = set()
    for text in made.texts:
        if looks_like_cpp(text.text) and text.text not in seen:
            seen.add(text.text)
            made.nested.append(NestedSource("cpp", expanded(text.text), text.place.line, text))
    for reading in made.readings[1:]:
        if reading.origin is not None:
            made.nested.append(NestedSource("python", reading.origin.text, reading.origin.place.line, reading.origin))


def _fold(made: Views) -> None:
    """Replace, in the text without comments, every expression that stands for something it does not say."""
    lines = made.code.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    code = b"".join(lines)
    patches = []
    for node, value in made.readings[0].folds:
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        patches.append((begin, -end, value))
    patches.sort(key=lambda patch: patch[:2])
    limit = 4 * len(code) + (64 << 10)
    parts, at, length = [], 0, 0
    for begin, minus_end, value in patches:
        if begin < at:
            continue
        shown = _shown(value, code[begin:-minus_end]).encode()
        if shown == code[begin:-minus_end] or length + len(shown) > limit:
            continue
        parts += [code[at:begin], shown]
        length += begin - at
        made.pieces += [(length, begin, 0), (length + len(shown), -minus_end, len(code))]
        length += len(shown)
        at = -minus_end
    made.folded = b"".join([*parts, code[at:]]).decode(errors="replace")


def _shown(value: Value, written: bytes) -> str:
    if isinstance(value, Ref):
        return value.path.lstrip("?@")
    if isinstance(value, Const) and not isinstance(value.value, (list, tuple, slice)):
        return repr(value.value)
    if isinstance(value, Partial):
        return repr(value.text)
    return written.decode(errors="replace")
