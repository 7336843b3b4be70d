"""Follows what ``custom_kernel`` returns back to where it was computed: in this call, or in an earlier one.

An abstract run of the function. A value is a set of alternatives, one for each way to reach it; an alternative is what
the value depends on: ``in``, the content of this call's input, and ``old:NAME``, a cell that survives calls. A result
that on some way depends on a cell and not on the input is a stored answer. A work buffer is none: it is passed along
with the input to something that may write it, and is fresh from then on.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from guard.detectors.dependence import (
    FRESH,
    IN,
    PLAIN,
    Alternatives,
    State,
    both,
    either,
    has_old,
    is_stored,
    with_input,
)
from guard.detectors.persistence import ALLOCATORS, MUTATORS, Code, FunctionNode, dotted, target_of
from guard.values import Const

_NOTHING = ast.Constant(None)
_MAX_DEPTH = 5
_MAX_STEPS = 20_000
METADATA = {
    "shape", "dtype", "device", "ndim", "size", "dim", "numel", "stride", "element_size", "is_contiguous",
    "is_cuda", "layout", "nbytes", "itemsize",
}  # fmt: skip
_PURE = {
    "print", "len", "isinstance", "hash", "id", "type", "repr", "str", "equal", "allclose", "isclose",
    "array_equal", "is_tensor", "hasattr", "callable",
}  # fmt: skip
_LOOKUPS = {
    "get", "pop", "popitem", "popleft", "setdefault", "__getitem__", "values", "items", "keys", "__next__",
    "send",
}  # fmt: skip


@dataclass(frozen=True)
class Replay:
    """A result that was stored in `cell` by an earlier call, and where it is handed out."""

    cell: str
    node: ast.AST
    compared: bool


class Flow:
    """The abstract run of one source's entries."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.replays: list[Replay] = []
        self.keys: dict[str, list[ast.AST]] = {}
        self.assigned: dict[str, list[ast.AST]] = {}
        self._steps = 0
        self._compared = 0
        self._returns: list[list[tuple[Alternatives, State]]] = []
        self._running: list[ast.AST] = []
        self._owners: list[str] = []
        self._inner: dict[str, FunctionNode] = {}

    def run(self) -> None:
        """Follow every entry."""
        for entry, owner in self.code.entries:
            names = [one.arg for one in (*entry.args.posonlyargs, *entry.args.args, *entry.args.kwonlyargs)]
            if owner and names:
                names = names[1:]
            held = {name: self._start(name) for name in names}
            if entry.args.vararg:
                held[entry.args.vararg.arg] = FRESH
            self._owners.append(owner)
            self._function(entry, State(held))
            self._owners.pop()

    def _start(self, name: str) -> Alternatives:
        return frozenset({frozenset({f"old:{name}"})}) if name in self.code.cells else FRESH

    def _function(self, function: FunctionNode | ast.Lambda, state: State) -> Alternatives:
        """What a function returns when it is entered in `state`; its effects on cells stay in `state`."""
        self._returns.append([])
        self._running.append(function)
        if isinstance(function, ast.Lambda):
            value = self.value(function.body, state)
            self._hand_out(value, function.body)
            self._returns[-1].append((value, state))
        else:
            self.block(function.body, state)
        self._running.pop()
        ways = self._returns.pop()
        for _, way in ways:
            for name, held in way.cells.items():
                state.cells[name] = either(state.cells.get(name, held), held)
            state.stirred |= way.stirred
        state.ended = False
        return either(*(value for value, _ in ways)) if ways else PLAIN

    # statements

    def block(self, statements: Iterable[ast.stmt], state: State) -> None:
        """Run statements one after another, as long as the way goes on."""
        for statement in statements:
            self._steps += 1
            if state.ended or self._steps > _MAX_STEPS:
                return
            self._statement(statement, state)

    def _statement(self, node: ast.stmt, state: State) -> None:
        if isinstance(node, ast.Return):
            parts = node.value.elts if isinstance(node.value, ast.Tuple | ast.List) else [node.value or _NOTHING]
            values = [self.value(part, state) for part in parts]
            for value in values:
                self._hand_out(value, node)
            self._returns[-1].append((both(values), state.copy()))
            state.ended = True
        elif isinstance(node, ast.Raise):
            state.ended = True
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            self._assignment(node, state)
        elif isinstance(node, ast.Expr):
            self._effect(node.value, state)
        elif isinstance(node, ast.If):
            self._if(node, state)
        elif isinstance(node, ast.Try):
            self._try(node, state)
        elif isinstance(node, ast.For | ast.AsyncFor):
            self._assign(node.target, self.value(node.iter, state), state)
            self.block([*node.body, *node.orelse], state)
        elif isinstance(node, ast.While):
            self.value(node.test, state)
            self.block([*node.body, *node.orelse], state)
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                held = self.value(item.context_expr, state)
                if item.optional_vars is not None:
                    self._assign(item.optional_vars, held, state)
            self.block(node.body, state)
        elif isinstance(node, FunctionNode):
            self._inner[node.name] = node
        elif isinstance(node, ast.Match):
            self._merge(state, [self._branch(case.body, state) for case in node.cases], certain=True)

    def _assignment(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign, state: State) -> None:
        if node.value is None:
            return
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            pairs = _pairs(target, node.value)
            values = [self.value(value, state) for _, value in pairs]
            for (part, value), held in zip(pairs, values, strict=True):
                if isinstance(part, ast.Name):
                    self.assigned.setdefault(part.id, []).append(value)
                if isinstance(node, ast.AugAssign):
                    held = both([self.value(part, state), held])
                self._assign(part, held, state)

    def _assign(self, target: ast.expr, held: Alternatives, state: State) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            for part in target.elts:
                self._assign(part, held, state)
            return
        if isinstance(target, ast.Subscript):
            self._note_key(target, state)
        whole = target_of(target)
        name = dotted(whole, self.code.reading)
        if isinstance(target, ast.Subscript) and state.local.get(name) == FRESH and is_stored(held):
            self._hand_out(held, target)
        self._put(name, held, state)

    def _put(self, name: str, held: Alternatives, state: State) -> None:
        if not name:
            return
        if name in state.local or name not in self.code.cells:
            state.local[name] = held
        else:
            state.cells[name] = held

    def _effect(self, node: ast.expr, state: State) -> None:
        """A call for its effect. One that takes the input, or replays something, may write any cell."""
        held = self.value(node, state)
        if not isinstance(node, ast.Call):
            return
        name = _called(node)
        receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
        if name == "setattr" and (cell := _named_attribute(node, self.code)):
            self._put(cell, self.value(node.args[2], state), state)
            return
        if receiver is not None and self.value(receiver, state) == FRESH:
            sources = [self.value(argument, state) for argument in node.args]
            if name == "copy_" and any(is_stored(source) for source in sources):
                self._hand_out(sources[0], node)
            return
        if name in _PURE or (name in MUTATORS and receiver is not None):
            return
        if any(IN in way for way in held) or is_stored(held):
            state.stirred = True
            for name, value in [*state.local.items()]:
                state.local[name] = with_input(value)
            for name, value in [*state.cells.items()]:
                state.cells[name] = with_input(value)

    def _if(self, node: ast.If, state: State) -> None:
        depends = any(has_old(self._load(part, state)) for part in _loads(node.test)) or any(
            isinstance(part, ast.Call) and _named_attribute(part, self.code) in self.code.cells
            for part in ast.walk(node.test)
        )
        self.value(node.test, state)
        compared = depends and any(
            isinstance(part, ast.Call) and _called(part) in ("equal", "allclose", "array_equal", "all")
            for part in ast.walk(node.test)
        )
        self._compared += compared
        taken = self._branch(node.body, state)
        self._compared -= compared
        other = self._branch(node.orelse, state)
        self._merge(state, [taken, other], certain=not depends)

    def _branch(self, body: list[ast.stmt], state: State) -> State:
        way = state.copy()
        self.block(body, way)
        return way

    def _try(self, node: ast.Try, state: State) -> None:
        before = state.copy()
        self.block([*node.body, *node.orelse], state)
        ways = [self._branch(handler.body, before) for handler in node.handlers]
        self._merge(state, [state.copy(), *ways], certain=False)
        if node.finalbody:
            ended, state.ended = state.ended, False
            self.block(node.finalbody, state)
            state.ended |= ended

    def _merge(self, state: State, ways: list[State], *, certain: bool) -> None:
        """Go on after a branch. If what is branched on has nothing to do with earlier calls (`certain`), a buffer that
        one branch fills counts as filled.
        """
        open_ways = [way for way in ways if not way.ended]
        if not open_ways:
            state.ended = bool(ways)
            return
        for which in ("local", "cells"):
            names = {name for way in open_ways for name in getattr(way, which)}
            for name in names:
                held = [self._of(way, which, name) for way in open_ways]
                filled = next((one for one in held if certain and all(IN in way for way in one)), None)
                getattr(state, which)[name] = filled or either(*held)
        state.ended = False
        state.stirred = any(way.stirred for way in open_ways) if certain else all(way.stirred for way in open_ways)

    def _of(self, way: State, which: str, name: str) -> Alternatives:
        held: Alternatives | None = getattr(way, which).get(name)
        if held is not None:
            return held
        return self._cell(name, way) if name in self.code.cells else PLAIN

    def _cell(self, name: str, state: State) -> Alternatives:
        tags = {f"old:{name}", IN} if state.stirred else {f"old:{name}"}
        return frozenset({frozenset(tags)})

    def _hand_out(self, held: Alternatives, node: ast.AST) -> None:
        if len(self._returns) == 1:
            for way in held:
                for tag in way:
                    if IN not in way and tag.startswith("old:"):
                        self.replays.append(Replay(tag[4:], node, self._compared > 0))

    # expressions

    def value(self, node: ast.expr, state: State) -> Alternatives:
        """What `node` depends on."""
        self._steps += 1
        if self._steps > _MAX_STEPS or isinstance(node, ast.Constant):
            return PLAIN if isinstance(node, ast.Constant) else FRESH
        if isinstance(node, ast.Name):
            return self._load(node, state)
        if isinstance(node, ast.Attribute):
            name = dotted(node, self.code.reading)
            if name in state.local or name in self.code.cells:
                return self._load(node, state)
            return PLAIN if node.attr in METADATA else self.value(node.value, state)
        if isinstance(node, ast.Subscript):
            self._note_key(node, state)
            return self.value(node.value, state)
        if isinstance(node, ast.Call):
            return self._call(node, state)
        if isinstance(node, ast.IfExp):
            return either(self.value(node.body, state), self.value(node.orelse, state))
        if isinstance(node, ast.BoolOp):
            return either(*(self.value(part, state) for part in node.values))
        if isinstance(node, ast.Compare):
            self._membership(node, state)
            return both([self.value(part, state) for part in (node.left, *node.comparators)])
        if isinstance(node, ast.NamedExpr):
            held = self.value(node.value, state)
            self.assigned.setdefault(node.target.id, []).append(node.value)
            self._assign(node.target, held, state)
            return held
        if isinstance(node, ast.Lambda):
            return PLAIN
        return both([self.value(part, state) for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)])

    def _load(self, node: ast.AST, state: State) -> Alternatives:
        name = dotted(node, self.code.reading)
        if name in state.local:
            return state.local[name]
        if name in self.code.cells:
            return state.cells.get(name) or self._cell(name, state)
        return PLAIN

    def _call(self, node: ast.Call, state: State) -> Alternatives:
        if dotted(node, self.code.reading) in self.code.cells:
            return self._load(node, state)
        if _named_attribute(node, self.code) in self.code.cells:
            cell = _named_attribute(node, self.code)
            return state.cells.get(cell) or self._cell(cell, state)
        name = _called(node)
        operands = [*node.args, *(word.value for word in node.keywords)]
        held = [self.value(operand, state) for operand in operands]
        receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
        base = self.value(receiver, state) if receiver is not None else self.value(node.func, state)
        if name in METADATA or (name in _PURE and name != "str"):
            return PLAIN
        if name in ALLOCATORS or (name.startswith("new_") and receiver is not None):
            return PLAIN
        if receiver is not None and (name in _LOOKUPS or name in MUTATORS) and has_old(base):
            return self._container(node, name, receiver, base, held, state)
        function = self._local_function(node)
        if function is not None:
            return self._inline(function, node, held, base, state)
        result = both([base, *held])
        if any(any(IN in way for way in one) and not is_stored(one) for one in (base, *held)):
            self._refresh([*operands, *([receiver] if receiver is not None else [])], state)
        return result

    def _container(
        self,
        node: ast.Call,
        name: str,
        receiver: ast.expr,
        base: Alternatives,
        held: list[Alternatives],
        state: State,
    ) -> Alternatives:
        """A method of a container that survives calls: a look-up gives what is stored, whatever the key depends on."""
        cell = dotted(target_of(receiver), self.code.reading)
        if name in _LOOKUPS and cell and node.args and not isinstance(node.args[0], ast.Constant):
            self.keys.setdefault(cell, []).append(node.args[0])
        if name in ("get", "setdefault", "pop") and len(held) > 1:
            return either(base, held[1])
        if name in _LOOKUPS:
            return base
        if held:
            self._put(cell, both(held), state)
        return PLAIN

    def _refresh(self, nodes: Iterable[ast.AST], state: State) -> None:
        """Everything passed along with the input may be written with what is computed from it."""
        for node in nodes:
            for part in _loads(node):
                name = dotted(part, self.code.reading)
                if name and (name in state.local or name in self.code.cells):
                    self._put(name, with_input(self._load(part, state)), state)

    def _local_function(self, node: ast.Call) -> FunctionNode | None:
        if isinstance(node.func, ast.Name):
            return self._inner.get(node.func.id) or self.code.functions.get(node.func.id)
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            root = node.func.value.id
            owner = self._owners[-1] if root in ("self", "cls") and self._owners else self.code.instances.get(root, "")
            return self.code.methods.get((owner, node.func.attr))
        return None

    def _inline(
        self, function: FunctionNode, node: ast.Call, held: list[Alternatives], base: Alternatives, state: State
    ) -> Alternatives:
        if function in self._running or len(self._running) >= _MAX_DEPTH:
            return both([base, *held])
        names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
        if isinstance(node.func, ast.Attribute) and names[:1] in (["self"], ["cls"]):
            names = names[1:]
        bound = {one.arg: self._start_default(one.arg) for one in (*function.args.args, *function.args.kwonlyargs)}
        bound |= dict(zip(names, held, strict=False))
        bound |= {word.arg: at for word, at in zip(node.keywords, held[len(node.args) :], strict=True) if word.arg}
        inner = State(bound, state.cells, state.stirred)
        result = self._function(function, inner)
        state.cells, state.stirred = inner.cells, inner.stirred
        passed = [inner.local.get(name, PLAIN) for name in names]
        for argument, after in zip(node.args, passed, strict=False):
            if isinstance(argument, ast.Name) and argument.id in state.local and after != PLAIN:
                state.local[argument.id] = after
        if any(_memoises(decorator) for decorator in function.decorator_list):
            stored = frozenset({frozenset({f"old:{function.name}"})})
            self.keys.setdefault(function.name, []).extend(node.args)
            return either(result, stored) if any(IN in way for one in held for way in one) else result
        return result

    def _start_default(self, name: str) -> Alternatives:
        return self._start(name) if name in self.code.cells else PLAIN

    # keys

    def _note_key(self, node: ast.Subscript, state: State) -> None:
        name = dotted(target_of(node), self.code.reading)
        if name in self.code.cells and not isinstance(node.slice, ast.Constant | ast.Slice):
            self.keys.setdefault(name, []).append(node.slice)
        if not isinstance(node.slice, ast.Slice):
            self.value(node.slice, state)

    def _membership(self, node: ast.Compare, state: State) -> None:
        for op, other in zip(node.ops, node.comparators, strict=True):
            name = dotted(target_of(other), self.code.reading)
            if isinstance(op, ast.In | ast.NotIn) and name in self.code.cells:
                self.keys.setdefault(name, []).append(node.left)
                continue
            sides = [] if isinstance(other, ast.Constant) else [node.left, other]
            equal = isinstance(op, ast.Eq | ast.NotEq | ast.Is | ast.IsNot)
            if equal and any(has_old(self.value(side, state)) for side in sides):
                self.keys.setdefault("==", []).append(node)


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Which part of `target` takes which part of `value`, where both are written out."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]


def _named_attribute(node: ast.Call, code: Code) -> str:
    """``a.b`` for a call such as ``hasattr(a, "b")`` or ``setattr(a, "b", c)`` with a name that is written out."""
    if _called(node) in ("hasattr", "getattr", "setattr") and len(node.args) > 1:
        base = dotted(node.args[0], code.reading)
        name = code.reading.values.get(node.args[1])
        if base and isinstance(name, Const) and isinstance(name.value, str):
            return f"{base}.{name.value}"
    return ""


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _loads(node: ast.AST) -> Iterable[ast.AST]:
    """The names and attributes in `node`."""
    return (part for part in ast.walk(node) if isinstance(part, ast.Name | ast.Attribute))


def _memoises(decorator: ast.expr) -> bool:
    name = decorator.func if isinstance(decorator, ast.Call) else decorator
    last = name.attr if isinstance(name, ast.Attribute) else name.id if isinstance(name, ast.Name) else ""
    return last in ("lru_cache", "cache", "memoize", "cached")
