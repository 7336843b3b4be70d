"""What reading one Python source yields: its calls, stores, reads, texts and definitions, each with its node."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from guard.values import Value, text_of

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class Place:
    """A line and column, both from 1, in the file as it was submitted."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call: the callee's path and what is known of the arguments; `function` is the innermost one around it."""

    path: str
    receiver: Value
    arguments: tuple[Value, ...]
    keywords: dict[str, Value]
    node: ast.Call
    function: str

    def texts(self) -> Iterable[str]:
        """Every argument, and the receiver, that is a text."""
        for value in (self.receiver, *self.arguments, *self.keywords.values()):
            if (text := text_of(value)) is not None:
                yield text


@dataclass(frozen=True, slots=True)
class Mention:
    """A path that is read or assigned, and for an assignment what it is given."""

    path: str
    value: Value
    node: ast.AST
    function: str


@dataclass(frozen=True, slots=True)
class Text:
    """A constant text of the source; with holes if `exact` is false. `spread`: its lines are lines of the file."""

    text: str
    exact: bool
    place: Place
    end_line: int
    spread: bool

    def place_at(self, offset: int) -> Place:
        """Where the character at `offset` comes from, as near as is known."""
        before = self.text.count("\n", 0, offset)
        if before == 0 or not self.spread:
            return self.place
        return Place(min(self.place.line + before, self.end_line), offset - self.text.rfind("\n", 0, offset))


@dataclass
class Scope:
    """Names of one module, class or function and what they hold."""

    parent: Scope | None
    function: str = ""
    is_class: bool = False
    names: dict[str, Value] = field(default_factory=dict)
    shared: set[str] = field(default_factory=set)
    stars: list[str] = field(default_factory=list)

    def module(self) -> Scope:
        """The outermost scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope


@dataclass
class Defined:
    """A function or class that the source defines; `owner` is the class or function whose body it stands in."""

    name: str
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    owner: str


@dataclass
class Reading:
    """All that was noted of one Python source; `values` holds what every expression of it stands for.

    `origin` is the text this source was nested in. `folds` are expressions that are not written as what they are.
    """

    tree: ast.Module
    origin: Text | None = None
    values: dict[ast.AST, Value] = field(default_factory=dict)
    calls: list[CallSite] = field(default_factory=list)
    stores: list[Mention] = field(default_factory=list)
    reads: list[Mention] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)
    defined: list[Defined] = field(default_factory=list)
    folds: list[tuple[ast.expr, Value]] = field(default_factory=list)

    def place(self, node: ast.AST) -> Place:
        """Where a node stands in the submitted file. Columns count UTF-8 bytes, as Python's own trees do."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1
        if self.origin is None:
            return Place(line, column)
        lines = self.origin.text.split("\n", line)
        return self.origin.place_at(sum(len(text) + 1 for text in lines[: line - 1]))
