"""Expressions of the abstract run: what they depend on, and what they change."""

from __future__ import annotations

import abc
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
from guard.values import Const, TooMuchWork

_MAX_DEPTH = 5
_MAX_STEPS = 50_000
METADATA = {
    "shape", "dtype", "device", "ndim", "size", "dim", "numel", "stride", "element_size", "is_contiguous",
    "is_cuda", "layout", "nbytes", "itemsize",
}  # fmt: skip
PURE = {
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


class Evaluation(abc.ABC):
    """Evaluates expressions; `keys` are what cells are looked up with, `assigned` what local names were given."""

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

    @abc.abstractmethod
    def function(self, function: FunctionNode | ast.Lambda, state: State) -> Alternatives:
        """What a function returns when it is entered in `state`."""

    @abc.abstractmethod
    def assign(self, target: ast.expr, held: Alternatives, state: State) -> None:
        """Let `target` depend on what `held` does."""

    def step(self, count: int = 1) -> None:
        """Count work. Raises TooMuchWork."""
        self._steps += count
        if self._steps > _MAX_STEPS:
            raise TooMuchWork("it has too many ways through it to be followed")

    # what names hold

    def start(self, name: str) -> Alternatives:
        """What a parameter of an entry holds: the input, or what a default argument has kept."""
        return frozenset({frozenset({f"old:{name}"})}) if name in self.code.cells else FRESH

    def cell(self, name: str, state: State) -> Alternatives:
        """What a cell holds before this call has touched it."""
        tags = {f"old:{name}", IN} if state.stirred else {f"old:{name}"}
        return frozenset({frozenset(tags)})

    def hand_out(self, held: Alternatives, node: ast.AST) -> None:
        """Note that an entry gives `held` to its caller at `node`."""
        if len(self._returns) == 1:
            for way in held:
                for tag in way:
                    if IN not in way and tag.startswith("old:"):
                        self.replays.append(Replay(tag[4:], node, self._compared > 0))

    def put(self, name: str, held: Alternatives, state: State) -> None:
        """Let `name`, and every slot of it, depend on what `held` does."""
        if not name:
            return
        if name in state.local or name not in self.code.cells:
            state.local[name] = held
            return
        state.cells[name] = held
        for slot in [slot for slot in state.cells if slot.startswith(name + "[")]:
            state.cells[slot] = held

    def slot(self, node: ast.AST, state: State) -> str:
        """The name of an item of a cell whose key is written out, such as ``C['out']``; empty for anything else."""
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            base = dotted(node.value, self.code.reading)
            if base in self.code.cells and base not in state.local:
                return f"{base}[{node.slice.value!r}]"
        return ""

    # expressions

    def value(self, node: ast.expr, state: State) -> Alternatives:
        """What `node` depends on."""
        self.step()
        if isinstance(node, ast.Constant):
            return PLAIN
        if isinstance(node, ast.Name):
            return self.load(node, state)
        if isinstance(node, ast.Attribute):
            name = dotted(node, self.code.reading)
            if name in state.local or name in self.code.cells:
                return self.load(node, state)
            return PLAIN if node.attr in METADATA else self.value(node.value, state)
        if isinstance(node, ast.Subscript):
            self.note_key(node, state)
            slot = state.cells.get(self.slot(node, state))
            return slot or self.value(node.value, state)
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
            self.assign(node.target, held, state)
            return held
        if isinstance(node, ast.Lambda):
            return PLAIN
        return both([self.value(part, state) for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)])

    def load(self, node: ast.AST, state: State) -> Alternatives:
        """What a name or attribute holds."""
        name = dotted(node, self.code.reading)
        if name in state.local:
            return state.local[name]
        if name in self.code.cells:
            return state.cells.get(name) or self.cell(name, state)
        return PLAIN

    def _call(self, node: ast.Call, state: State) -> Alternatives:
        if dotted(node, self.code.reading) in self.code.cells:
            return self.load(node, state)
        if named_attribute(node, self.code) in self.code.cells:
            cell = named_attribute(node, self.code)
            return state.cells.get(cell) or self.cell(cell, state)
        name = called(node)
        operands = [*node.args, *(word.value for word in node.keywords)]
        held = [self.value(operand, state) for operand in operands]
        receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
        base = self.value(receiver, state) if receiver is not None else self.value(node.func, state)
        if name in METADATA or (name in PURE and name != "str"):
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
            self.put(cell, both(held), state)
        return PLAIN

    def _refresh(self, nodes: Iterable[ast.AST], state: State) -> None:
        """Everything passed along with the input may be written with what is computed from it."""
        for node in nodes:
            for part in loads(node):
                name = dotted(part, self.code.reading)
                if name and (name in state.local or name in self.code.cells):
                    self.put(name, with_input(self.load(part, state)), state)

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
        result = self.function(function, inner)
        state.cells, state.stirred = inner.cells, inner.stirred
        passed = [inner.local.get(name, PLAIN) for name in names]
        for argument, after in zip(node.args, passed, strict=False):
            name = dotted(target_of(argument), self.code.reading)
            if after != PLAIN and (name in state.local or name in self.code.cells):
                self.put(name, after, state)
        if any(_memoises(decorator) for decorator in function.decorator_list):
            stored = frozenset({frozenset({f"old:{function.name}"})})
            self.keys.setdefault(function.name, []).extend(node.args)
            return either(result, stored) if any(IN in way for one in held for way in one) else result
        return result

    def _start_default(self, name: str) -> Alternatives:
        return self.start(name) if name in self.code.cells else PLAIN

    # keys

    def note_key(self, node: ast.Subscript, state: State) -> None:
        """Note what a cell is looked up with."""
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


def named_attribute(node: ast.Call, code: Code) -> str:
    """``a.b`` for a call such as ``hasattr(a, "b")`` or ``setattr(a, "b", c)`` with a name that is written out."""
    if called(node) in ("hasattr", "getattr", "setattr") and len(node.args) > 1:
        base = dotted(node.args[0], code.reading)
        name = code.reading.values.get(node.args[1])
        if base and isinstance(name, Const) and isinstance(name.value, str):
            return f"{base}.{name.value}"
    return ""


def called(node: ast.Call) -> str:
    """The last name of what is called."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def loads(node: ast.AST) -> Iterable[ast.AST]:
    """The names and attributes in `node`."""
    return (part for part in ast.walk(node) if isinstance(part, ast.Name | ast.Attribute))


def _memoises(decorator: ast.expr) -> bool:
    name = decorator.func if isinstance(decorator, ast.Call) else decorator
    last = name.attr if isinstance(name, ast.Attribute) else name.id if isinstance(name, ast.Name) else ""
    return last in ("lru_cache", "cache", "memoize", "cached")
