"""Reads a Python tree once, in the order it would run, and notes what it calls, assigns, reads and says.

Nothing is executed. Constants are folded, aliases followed, ``getattr`` with a known name turned into the attribute,
and texts given to ``exec`` or ``eval`` are read as sources of their own.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from guard import folding
from guard.expressions import Expressions
from guard.reading import Defined, Function, Reading, Scope, Text
from guard.values import HOLE, MAX_ITEMS, UNKNOWN, Budget, Const, Partial, Ref, Value

_MAX_NESTING = 4
_MAX_UNROLLED = 32


class Reader:
    """Reads one source and every source nested in it: `readings` grows by one for each.

    `troubles` says what of the source cannot be read.
    """

    def __init__(self, budget: Budget) -> None:
        self.readings: list[Reading] = []
        self.troubles: list[str] = []
        self.budget = budget
        self.attributes: dict[str, Value] = {}
        self._opened: set[str] = set()

    def read(self, tree: ast.Module, origin: Text | None = None, scope: Scope | None = None, depth: int = 0) -> None:
        """Note everything in `tree`. Raises TooMuchWork, RecursionError or MemoryError for hostile sources."""
        reading = Reading(tree, origin)
        self.readings.append(reading)
        _Visitor(self, reading, depth).whole(tree, scope or Scope(None))

    def open_file(self, text: Text, depth: int) -> None:
        """Read a text that the source writes to a file, if it is Python; it may be loaded from there."""
        source = text.text if text.exact else text.text.replace(HOLE, "_")
        if source in self._opened or depth >= _MAX_NESTING:
            return
        self._opened.add(source)
        self.budget.spend(len(source) // 8)
        try:
            tree = ast.parse(source.strip())
        except (SyntaxError, ValueError):
            return
        self.read(tree, text, Scope(None), depth + 1)

    def open(self, value: Value, text: Text, scope: Scope, depth: int) -> None:
        """Read a text that the source executes."""
        source = text.text if text.exact else text.text.replace(HOLE, "_")
        if source in self._opened or not isinstance(value, Const | Partial):
            return
        self._opened.add(source)
        if depth >= _MAX_NESTING:
            self.troubles.append("it executes text within text within text, too deeply to follow")
            return
        self.budget.spend(len(source) // 8)
        try:
            tree = ast.parse(source.strip())
        except (SyntaxError, ValueError):
            if text.exact:
                self.troubles.append("it executes a text that is not Python")
            return
        self.read(tree, text, scope, depth + 1)


class _Visitor(Expressions):
    """Walks one tree. Function bodies wait until the module's own statements are done, as they do when it runs."""

    def __init__(self, reader: Reader, reading: Reading, depth: int) -> None:
        super().__init__(reading, reader.budget, reader.attributes, depth)
        self._reader = reader
        self._unrolling = False
        self._waiting: deque[tuple[Function, Scope]] = deque()

    def whole(self, tree: ast.Module, scope: Scope) -> None:
        self.block(tree.body, scope)
        while self._waiting:
            node, inner = self._waiting.popleft()
            if isinstance(node, ast.Lambda):
                self.eval(node.body, inner)
            else:
                self.block(node.body, inner)

    def open(self, value: Value, text: Text, scope: Scope) -> None:
        self._reader.open(value, text, scope, self.depth)

    def read_file(self, text: Text) -> None:
        self._reader.open_file(text, self.depth)

    def block(self, statements: Iterable[ast.stmt], scope: Scope) -> None:
        for statement in statements:
            self.budget.spend()
            handler = _HANDLERS.get(type(statement), _Visitor._other)
            handler(self, statement, scope)

    def _other(self, node: ast.AST, scope: Scope) -> None:
        """Conditions, loops, handlers: all branches, in order."""
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self.eval(part, scope)
            elif isinstance(part, ast.stmt):
                self.block([part], scope)
            elif isinstance(part, ast.match_case | ast.ExceptHandler | ast.pattern):
                self._other(part, scope)

    def _expression(self, node: ast.Expr, scope: Scope) -> None:
        if not isinstance(node.value, ast.Constant):
            self.eval(node.value, scope)

    def _assign(self, node: ast.Assign, scope: Scope) -> None:
        value = self.eval(node.value, scope)
        for target in node.targets:
            self.bind(target, value, scope)

    def _annotated(self, node: ast.AnnAssign, scope: Scope) -> None:
        if node.value is not None:
            self.bind(node.target, self.eval(node.value, scope), scope)

    def _augmented(self, node: ast.AugAssign, scope: Scope) -> None:
        value = self.eval(node.value, scope)
        before = self.lookup(node.target.id, scope) if isinstance(node.target, ast.Name) else UNKNOWN
        self.bind(node.target, folding.binary(node.op, before, value, self.budget), scope)

    def _for(self, node: ast.For | ast.AsyncFor, scope: Scope) -> None:
        """A loop over constants with nothing but assignments in it is run, one over names is read for each of them;
        any other is read once.
        """
        items = self.constants(self.eval(node.iter, scope))
        simple = all(isinstance(part, ast.Assign | ast.AugAssign) for part in node.body)
        if items and simple and len(items) * len(node.body) <= MAX_ITEMS:
            self.quiet += 1
            for item in items[:-1]:
                self.bind(node.target, item, scope)
                self.block(node.body, scope)
            self.quiet -= 1
            self.bind(node.target, items[-1], scope)
        elif items and not self._unrolling and len(items) <= _MAX_UNROLLED and all(map(_is_name, items)):
            self._unrolling = True
            for item in items[:-1]:
                self.bind(node.target, item, scope)
                self.block(node.body, scope)
            self.bind(node.target, items[-1], scope)
            self._unrolling = False
        else:
            self.bind(node.target, UNKNOWN, scope)
        self.block(node.body, scope)
        self.block(node.orelse, scope)

    def _with(self, node: ast.With | ast.AsyncWith, scope: Scope) -> None:
        for item in node.items:
            value = self.eval(item.context_expr, scope)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value, scope)
        self.block(node.body, scope)

    def _imports(self, node: ast.Import, scope: Scope) -> None:
        for alias in node.names:
            module = Ref(alias.name)
            self.note_read(module, node, scope)
            root = alias.name.partition(".")[0]
            self.name(alias.asname or root, module if alias.asname else Ref(root), scope)

    def _import_from(self, node: ast.ImportFrom, scope: Scope) -> None:
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            if alias.name == "*":
                scope.stars.append(module)
                self.note_read(Ref(module), node, scope)
                continue
            member = Ref(f"{module}.{alias.name}")
            self.note_read(member, node, scope)
            self.name(alias.asname or alias.name, member, scope)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> None:
        for part in (*node.decorator_list, *node.args.defaults, *node.args.kw_defaults):
            if part is not None:
                self.eval(part, scope)
        self.name(node.name, Ref("@" + node.name), scope)
        self.out.defined.append(Defined(node.name, node, scope.function))
        self.enter(node, node.name, scope)

    def enter(self, node: Function, name: str, scope: Scope) -> None:
        inner = Scope(scope, function=name)
        every = node.args
        for one in (*every.posonlyargs, *every.args, *every.kwonlyargs, every.vararg, every.kwarg):
            if one is not None:
                inner.names[one.arg] = Ref("?" + one.arg)
        self._waiting.append((node, inner))

    def _class(self, node: ast.ClassDef, scope: Scope) -> None:
        for part in (*node.decorator_list, *node.bases, *(word.value for word in node.keywords)):
            self.eval(part, scope)
        self.name(node.name, Ref("@" + node.name), scope)
        self.out.defined.append(Defined(node.name, node, scope.function))
        inner = Scope(scope, function=node.name, is_class=True)
        self.block(node.body, inner)
        for name, value in inner.names.items():
            self.attributes_of(node.name, name, value)

    def attributes_of(self, owner: str, name: str, value: Value) -> None:
        self._reader.attributes.setdefault(f"@{owner}.{name}", value)

    def _shared(self, node: ast.Global | ast.Nonlocal, scope: Scope) -> None:
        scope.shared.update(node.names)

    def _delete(self, node: ast.Delete, scope: Scope) -> None:
        for target in node.targets:
            if not isinstance(target, ast.Name):
                self.bind(target, UNKNOWN, scope)


def _is_name(value: Value) -> bool:
    return isinstance(value, Const) and isinstance(value.value, str) and len(value.value) > 1


_HANDLERS: dict[type[ast.stmt], Callable[[_Visitor, Any, Scope], None]] = {
    ast.Expr: _Visitor._expression,
    ast.Assign: _Visitor._assign,
    ast.AnnAssign: _Visitor._annotated,
    ast.AugAssign: _Visitor._augmented,
    ast.For: _Visitor._for,
    ast.AsyncFor: _Visitor._for,
    ast.With: _Visitor._with,
    ast.AsyncWith: _Visitor._with,
    ast.Import: _Visitor._imports,
    ast.ImportFrom: _Visitor._import_from,
    ast.FunctionDef: _Visitor._function,
    ast.AsyncFunctionDef: _Visitor._function,
    ast.ClassDef: _Visitor._class,
    ast.Global: _Visitor._shared,
    ast.Nonlocal: _Visitor._shared,
    ast.Delete: _Visitor._delete,
}
