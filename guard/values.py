"""What the reader knows about an expression without running it, and how much work it may spend to know it.

A value is a constant, a text with holes, a sequence or table of values, or a reference: a dotted path such as
``time.perf_counter``. Paths start with a module name, with ``builtins``, with ``@`` for what the source itself defines,
or with ``?`` for what is not known (``?x`` is a variable of unknown content). Calls and subscripts stay in the path:
``inspect.currentframe().f_back.f_globals[]``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

HOLE = "{}"
MAX_PATH = 160
MAX_TEXT = 1 << 20
MAX_ITEMS = 8192
MAX_BITS = 4096


class TooMuchWork(Exception):
    """The source asks for more work than it may cost to read it."""


@dataclass(frozen=True, slots=True)
class Const:
    """A constant: number, text, bytes, bool, None, or a list or tuple of such."""

    value: Any


@dataclass(frozen=True, slots=True)
class Partial:
    """A text of which some pieces are not known; each of those is a :data:`HOLE`."""

    text: str


@dataclass(frozen=True, slots=True)
class Ref:
    """A dotted path. `text` is what a path object holds, e.g. ``pathlib.Path("/proc/self")``."""

    path: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Seq:
    """A list or tuple with items that are not all constants. `weight` bounds what its text can be."""

    items: tuple[Value, ...]
    weight: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """A dictionary whose keys are constants."""

    items: dict[Any, Value]


Value = Const | Partial | Ref | Seq | Table
UNKNOWN = Ref("?")


class Budget:
    """Work that reading one source may cost: `steps` of evaluation, `text` characters of folded constants."""

    def __init__(self, steps: int = 400_000, text: int = 8 << 20) -> None:
        self._steps = steps
        self._text = text

    def spend(self, steps: int = 1, text: int = 0) -> None:
        """Take work from the budget. Raises TooMuchWork when it is used up."""
        self._steps -= steps
        self._text -= text
        if self._steps < 0 or self._text < 0:
            raise TooMuchWork("the constants in this source take too much work to evaluate")


def path_of(value: Value) -> str:
    """The dotted path of a value; ``?`` unless it is a reference."""
    return value.path if isinstance(value, Ref) else "?"


def child(value: Value, suffix: str) -> Ref:
    """The reference that `suffix` (``.name``, ``()``, ``[]``) makes of `value`, bounded in length."""
    path = value.path if isinstance(value, Ref) else "?"
    if len(path) + len(suffix) > MAX_PATH:
        return UNKNOWN
    return Ref(path + suffix)


def is_known(path: str) -> bool:
    """Whether a path names something outside the source, by names alone."""
    return not path.startswith(("?", "@")) and "(" not in path and "[" not in path


def text_of(value: Value) -> str | None:
    """The text a value stands for, with holes where it is not known; None if it isn't text at all."""
    if isinstance(value, Const):
        return _constant_text(value.value)
    if isinstance(value, Partial):
        return value.text
    if isinstance(value, Seq):
        return " ".join(text if (text := text_of(item)) is not None else HOLE for item in value.items)
    if isinstance(value, Ref) and value.text:
        return value.text
    return None


def _constant_text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("latin-1")
    if isinstance(value, (list, tuple)):
        return " ".join(text for item in value if (text := _constant_text(item)) is not None)
    return None


def piece(value: Value) -> str:
    """A value as part of a larger text: its own text, a number's digits, else a hole."""
    if isinstance(value, Const) and isinstance(value.value, (int, float, str, bool)):
        return str(value.value)
    return value.text if isinstance(value, Partial) or (isinstance(value, Ref) and value.text) else HOLE
