"""Expressions: what each kind of them stands for."""

from __future__ import annotations

import abc
import ast
from collections.abc import Callable
from typing import Any

from guard import folding
from guard.calls import Calls
from guard.reading import Function, Scope
from guard.values import (
    MAX_ITEMS,
    UNKNOWN,
    Const,
    Partial,
    Ref,
    Table,
    Value,
    is_known,
    path_of,
    text_of,
)

_LONG = 200


class Expressions(Calls):
    """Evaluates expressions, without running them."""

    @abc.abstractmethod
    def enter(self, node: Function, name: str, scope: Scope) -> None:
        """Have the body of a function read later."""

    def eval(self, node: ast.expr, scope: Scope) -> Value:
        """What `node` stands for; notes the calls, reads and texts in it."""
        self.budget.spend()
        handler = _HANDLERS.get(type(node))
        if handler is None:
            self.parts(node, scope)
            return UNKNOWN
        value = handler(self, node, scope)
        if not self.quiet:
            self.out.values[node] = value
        return value

    def parts(self, node: ast.AST, scope: Scope) -> None:
        """Evaluate the expressions directly within `node`."""
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self.eval(part, scope)

    def _constant(self, node: ast.Constant, scope: Scope) -> Value:  # noqa: ARG002
        value = Const(node.value)
        if isinstance(node.value, str | bytes):
            self.note_text(node, value)
        return value

    def _name(self, node: ast.Name, scope: Scope) -> Value:
        value = self.lookup(node.id, scope)
        if isinstance(value, Ref):
            self.note_read(value, node, scope)
            if is_known(value.path) and value.path not in (node.id, f"builtins.{node.id}"):
                self.patch(node, value)
        elif isinstance(value, Const) and len(text_of(value) or "") <= _LONG:
            self.patch(node, value)
        return value

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Value:
        value = self.attribute(self.eval(node.value, scope), node.attr)
        self.note_read(value, node, scope)
        if is_known(path_of(value)):
            self.patch(node, value)
        return value

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Value:
        base = self.eval(node.value, scope)
        value = self.item(base, self.eval(node.slice, scope), scope)
        self.note_read(value, node, scope)
        if is_known(path_of(value)):
            self.patch(node, value)
        return self.folded(node, value)

    def _slice(self, node: ast.Slice, scope: Scope) -> Value:
        ends = [self.eval(end, scope) if end else Const(None) for end in (node.lower, node.upper, node.step)]
        values = [end.value for end in ends if isinstance(end, Const)]
        return Const(slice(*values)) if len(values) == len(ends) else UNKNOWN

    def _binary(self, node: ast.BinOp, scope: Scope) -> Value:
        left, right = self.eval(node.left, scope), self.eval(node.right, scope)
        return self.folded(node, folding.binary(node.op, left, right, self.budget))

    def _unary(self, node: ast.UnaryOp, scope: Scope) -> Value:
        return folding.unary(node.op, self.eval(node.operand, scope), self.budget)

    def _bool(self, node: ast.BoolOp, scope: Scope) -> Value:
        values = [self.eval(part, scope) for part in node.values]
        return next((value for value in values if value not in (UNKNOWN, Const(None))), UNKNOWN)

    def _choice(self, node: ast.IfExp, scope: Scope) -> Value:
        test, yes, no = (self.eval(part, scope) for part in (node.test, node.body, node.orelse))
        if isinstance(test, Const):
            return self.folded(node, yes if test.value else no)
        return yes if yes != UNKNOWN else no

    def _walrus(self, node: ast.NamedExpr, scope: Scope) -> Value:
        value = self.eval(node.value, scope)
        self.bind(node.target, value, scope)
        return value

    def _sequence(self, node: ast.List | ast.Tuple, scope: Scope) -> Value:
        items = [self.eval(part, scope) for part in node.elts]
        return folding.sequence(items, list if isinstance(node, ast.List) else tuple, self.budget)

    def _dict(self, node: ast.Dict, scope: Scope) -> Value:
        keys = [self.eval(key, scope) if key is not None else UNKNOWN for key in node.keys]
        values = [self.eval(value, scope) for value in node.values]
        table: dict[Any, Value] = {}
        for key, value in zip(keys, values, strict=True):
            if not isinstance(key, Const) or isinstance(key.value, list | slice):
                return UNKNOWN
            table[key.value] = value
        return Table(table) if table else UNKNOWN

    def _fstring(self, node: ast.JoinedStr, scope: Scope) -> Value:
        self.unplaced += 1
        parts = [self._field(part, scope) for part in node.values]
        self.unplaced -= 1
        return self.folded(node, folding.joined(parts, self.budget))

    def _field(self, part: ast.expr, scope: Scope) -> Value:
        if isinstance(part, ast.Constant):
            return Const(part.value)
        if not isinstance(part, ast.FormattedValue):
            return UNKNOWN
        value = self.eval(part.value, scope)
        spec: Value = Const("")
        if isinstance(part.format_spec, ast.JoinedStr):
            spec = folding.joined([self._field(one, scope) for one in part.format_spec.values], self.budget)
        return folding.formatted(value, part.conversion, spec, self.budget)

    def _lambda(self, node: ast.Lambda, scope: Scope) -> Value:
        for part in (*node.args.defaults, *node.args.kw_defaults):
            if part is not None:
                self.eval(part, scope)
        self.enter(node, "<lambda>", scope)
        return Ref("?<lambda>")

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, scope: Scope) -> Value:
        inner = Scope(scope, function=scope.function)
        items = self._generators(node.generators, inner)
        first = self.eval(node.elt, inner)
        if not items or len(items) > MAX_ITEMS or not isinstance(first, Const | Partial):
            return UNKNOWN
        made = [first]
        self.quiet += 1
        for item in items[1:]:
            self.bind(node.generators[0].target, item, inner)
            value = self.eval(node.elt, inner)
            made.append(value if isinstance(value, Const) else Partial(text_of(value) or "{}"))
        self.quiet -= 1
        return folding.sequence(made, list, self.budget)

    def _generators(self, generators: list[ast.comprehension], inner: Scope) -> tuple[Value, ...] | None:
        """Evaluate the ``for`` clauses; the items if there is only one, with no condition."""
        items: tuple[Value, ...] | None = None
        for generator in generators:
            items = self.constants(self.eval(generator.iter, inner))
            self.bind(generator.target, items[0] if items else UNKNOWN, inner)
            for test in generator.ifs:
                self.eval(test, inner)
        return items if len(generators) == 1 and not generators[0].ifs else None

    def _dict_comprehension(self, node: ast.DictComp, scope: Scope) -> Value:
        inner = Scope(scope, function=scope.function)
        self._generators(node.generators, inner)
        self.eval(node.key, inner)
        self.eval(node.value, inner)
        return UNKNOWN


_HANDLERS: dict[type[ast.expr], Callable[[Expressions, Any, Scope], Value]] = {
    ast.Constant: Expressions._constant,
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._attribute,
    ast.Subscript: Expressions._subscript,
    ast.Slice: Expressions._slice,
    ast.BinOp: Expressions._binary,
    ast.UnaryOp: Expressions._unary,
    ast.BoolOp: Expressions._bool,
    ast.IfExp: Expressions._choice,
    ast.NamedExpr: Expressions._walrus,
    ast.List: Expressions._sequence,
    ast.Tuple: Expressions._sequence,
    ast.Dict: Expressions._dict,
    ast.JoinedStr: Expressions._fstring,
    ast.Lambda: Expressions._lambda,
    ast.ListComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension,
    ast.DictComp: Expressions._dict_comprehension,
    ast.Call: Expressions.call,
}
