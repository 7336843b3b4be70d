"""Follows what ``custom_kernel`` returns back to where it was computed: in this call, or in an earlier one.

An abstract run of the function. A value is a set of alternatives, one for each way to reach it; an alternative is what
the value depends on: ``in``, the content of this call's input, and ``old:NAME``, a cell that survives calls. A result
that on some way depends on a cell and not on the input is a stored answer. A work buffer is none: it is passed along
with the input to something that may write it, and is fresh from then on.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

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
from guard.detectors.evaluation import PURE, Evaluation, called, loads, named_attribute
from guard.detectors.persistence import MUTATORS, FunctionNode, dotted, target_of

_NOTHING = ast.Constant(None)
_REPLAYS = {"replay", "run", "launch", "execute", "submit"}


class Flow(Evaluation):
    """The abstract run of one source's entries."""

    def run(self) -> None:
        """Follow every entry."""
        for entry, owner in self.code.entries:
            names = [one.arg for one in (*entry.args.posonlyargs, *entry.args.args, *entry.args.kwonlyargs)]
            if owner and names:
                names = names[1:]
            held = {name: self.start(name) for name in names}
            if entry.args.vararg:
                held[entry.args.vararg.arg] = FRESH
            self._owners.append(owner)
            self.function(entry, State(held))
            self._owners.pop()

    def function(self, function: FunctionNode | ast.Lambda, state: State) -> Alternatives:
        """What a function returns when it is entered in `state`; its effects on cells stay in `state`."""
        self._returns.append([])
        self._running.append(function)
        if isinstance(function, ast.Lambda):
            value = self.value(function.body, state)
            self.hand_out(value, function.body)
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
            self.step()
            if state.ended:
                return
            self._statement(statement, state)

    def _statement(self, node: ast.stmt, state: State) -> None:
        if isinstance(node, ast.Return):
            parts = node.value.elts if isinstance(node.value, ast.Tuple | ast.List) else [node.value or _NOTHING]
            values = [self.value(part, state) for part in parts]
            for value in values:
                self.hand_out(value, node)
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
            self.assign(node.target, self.value(node.iter, state), state)
            self.block([*node.body, *node.orelse], state)
        elif isinstance(node, ast.While):
            self.value(node.test, state)
            self.block([*node.body, *node.orelse], state)
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                held = self.value(item.context_expr, state)
                if item.optional_vars is not None:
                    self.assign(item.optional_vars, held, state)
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
                self.assign(part, held, state)

    def assign(self, target: ast.expr, held: Alternatives, state: State) -> None:
        """Let `target` depend on what `held` does; an item of the input that takes a stored answer hands it out."""
        if isinstance(target, ast.Tuple | ast.List):
            for part in target.elts:
                self.assign(part, held, state)
            return
        if isinstance(target, ast.Subscript):
            self.note_key(target, state)
        whole = target_of(target)
        name = dotted(whole, self.code.reading)
        if isinstance(target, ast.Subscript) and state.local.get(name) == FRESH and is_stored(held):
            self.hand_out(held, target)
        slot = self.slot(target, state)
        if slot:
            state.cells[slot] = held
        else:
            self.put(name, held, state)

    def _effect(self, node: ast.expr, state: State) -> None:
        """A call for its effect. One that takes the input, or replays something, may write any cell."""
        receiver = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
        base = self.value(receiver, state) if receiver is not None else PLAIN
        if isinstance(node, ast.Call) and base == FRESH and called(node) == "copy_":
            for argument in node.args:
                self.hand_out(self.value(argument, state), node)
            return
        held = self.value(node, state)
        if not isinstance(node, ast.Call) or base == FRESH:
            return
        name = called(node)
        if name == "setattr" and (cell := named_attribute(node, self.code)):
            self.put(cell, self.value(node.args[2], state), state)
            return
        if name in PURE or (name in MUTATORS and receiver is not None):
            return
        replays = is_stored(held) and (receiver is None or name in _REPLAYS)
        if replays or any(IN in way for way in held):
            state.stirred = True
            for name, value in [*state.local.items()]:
                state.local[name] = with_input(value)
            for name, value in [*state.cells.items()]:
                state.cells[name] = with_input(value)

    def _if(self, node: ast.If, state: State) -> None:
        depends = any(has_old(self.load(part, state)) for part in loads(node.test)) or any(
            isinstance(part, ast.Call) and named_attribute(part, self.code) in self.code.cells
            for part in ast.walk(node.test)
        )
        self.value(node.test, state)
        compared = depends and any(
            isinstance(part, ast.Call) and called(part) in ("equal", "allclose", "array_equal", "all")
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
            self.step(sum(len(getattr(way, which)) for way in open_ways))
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
        return self.cell(name, way) if name in self.code.cells else PLAIN


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Which part of `target` takes which part of `value`, where both are written out."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]
