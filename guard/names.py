"""Names, attributes and items: what they refer to, and what is assigned to them."""

from __future__ import annotations

import abc
import ast
import builtins
import sys

from guard import folding
from guard.reading import Mention, Reading, Scope
from guard.values import (
    MAX_ITEMS,
    UNKNOWN,
    Budget,
    Const,
    Ref,
    Seq,
    Table,
    Value,
    child,
    is_known,
    path_of,
)

_BUILTINS = frozenset(dir(builtins)) | {"__builtins__"}
_NAMESPACES = ("builtins.globals()", "builtins.locals()", "builtins.vars()")
_MAX_KEY = 80
_LIBRARIES = ("DLL()", ".LoadLibrary()", "ctypes.pythonapi")


class Names(abc.ABC):
    """Resolves and binds names for one source, and notes what it sees in a :class:`Reading`.

    While `quiet` is not zero nothing is noted: the same code is being evaluated again with other values. While
    `unplaced` is not zero, columns are not to be trusted (the fields of an f-string, before Python 3.12).
    """

    def __init__(self, reading: Reading, budget: Budget, attributes: dict[str, Value], depth: int) -> None:
        self.out = reading
        self.budget = budget
        self.depth = depth
        self.quiet = 0
        self.unplaced = 0
        self._attributes = attributes

    @abc.abstractmethod
    def eval(self, node: ast.expr, scope: Scope) -> Value:
        """What `node` stands for."""

    # reading

    def lookup(self, name: str, scope: Scope) -> Value:
        """What `name` holds where `scope` is the innermost one."""
        here: Scope | None = scope
        while here is not None:
            if name in here.names and (here is scope or not here.is_class):
                return here.names[name]
            for module in here.stars:
                if _exports(module, name):
                    return Ref(f"{module}.{name}")
            here = here.parent
        if name in _BUILTINS:
            return Ref("builtins" if name == "__builtins__" else "builtins." + name)
        return Ref("?" + name)

    def attribute(self, base: Value, name: str) -> Value:
        """``base.name``."""
        made = child(base, "." + name)
        if not made.path.startswith("@"):
            return made
        stored = self._attributes.get(made.path, UNKNOWN)
        return made if stored == UNKNOWN else stored

    def item(self, base: Value, key: Value, scope: Scope) -> Value:
        """``base[key]``."""
        if isinstance(base, Table):
            return _entry(base, key)
        if not isinstance(base, Ref):
            return folding.index(base, key, self.budget)
        name = key.value if isinstance(key, Const) and isinstance(key.value, str) else ""
        if not name or len(name) > _MAX_KEY:
            return child(base, "[]")
        if base.path in _NAMESPACES:
            return self.lookup(name, scope)
        if base.path == "sys.modules":
            return Ref(name)
        if base.path == "builtins":
            return Ref("builtins." + name)
        if base.path.endswith(_LIBRARIES) and name.isidentifier():
            return self.attribute(base, name)
        if base.path.endswith(".__dict__"):
            return self.attribute(Ref(base.path.removesuffix(".__dict__")), name)
        return child(base, f"[{name}]")

    def slot(self, base: Value, key: Value, scope: Scope) -> Ref:
        """What an assignment to ``base[key]`` assigns to: the place itself, not what it holds so far."""
        name = key.value if isinstance(key, Const) and isinstance(key.value, str) else ""
        if not isinstance(base, Ref):
            return Ref("?[]")
        if base.path in _NAMESPACES and name:
            return child(UNKNOWN, name)
        if base.path.startswith("@"):
            return child(base, f"[{name}]" if len(name) <= _MAX_KEY else "[]")
        made = self.item(base, key, scope)
        return made if isinstance(made, Ref) else Ref("?[]")

    def constants(self, value: Value) -> tuple[Value, ...] | None:
        """The items of a sequence whose items are known one by one."""
        if isinstance(value, Seq):
            return value.items
        if isinstance(value, Const) and isinstance(value.value, (str, bytes, list, tuple)):
            self.budget.spend(len(value.value[:MAX_ITEMS]))
            return tuple(Const(item) for item in value.value[: MAX_ITEMS + 1])
        return None

    # assigning

    def bind(self, target: ast.expr, value: Value, scope: Scope) -> None:
        """Let `target` hold `value`, and note the store if it is an attribute or an item."""
        if isinstance(target, ast.Name):
            self.name(target.id, value, scope)
        elif isinstance(target, ast.Tuple | ast.List):
            items = self.constants(value)
            if items is None or len(items) != len(target.elts):
                items = (UNKNOWN,) * len(target.elts)
            for part, item in zip(target.elts, items, strict=True):
                self.bind(part, item, scope)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, UNKNOWN, scope)
        elif isinstance(target, ast.Attribute):
            self.note_store(child(self.eval(target.value, scope), "." + target.attr), value, target, scope)
        elif isinstance(target, ast.Subscript):
            base = self.eval(target.value, scope)
            self.note_store(self.slot(base, self.eval(target.slice, scope), scope), value, target, scope)

    def name(self, name: str, value: Value, scope: Scope) -> None:
        """Let `name` hold `value`. A number that functions share is not constant."""
        if name in scope.shared:
            if isinstance(value, Const) and not isinstance(value.value, (str, bytes)):
                value = UNKNOWN
            scope = scope.module()
        scope.names[name] = Ref("?" + name) if value == UNKNOWN else value

    # noting

    def note_store(self, target: Value, value: Value, node: ast.expr, scope: Scope) -> None:
        """Note that `value` is assigned to the path `target`, which is no plain name."""
        path = path_of(target)
        if not isinstance(node, ast.Call):
            self.out.values[node] = target
            if is_known(path):
                self.patch(node, target)
        if path.startswith("@") and len(self._attributes) < MAX_ITEMS:
            self._attributes[path] = value
        if not self.quiet:
            self.out.stores.append(Mention(path, value, node, scope.function))

    def note_read(self, value: Value, node: ast.AST, scope: Scope) -> None:
        """Note that the path `value` is read, unless it is a plain name of unknown content."""
        if not self.quiet and isinstance(value, Ref) and ("." in value.path or value.path[0] not in "?@"):
            self.out.reads.append(Mention(value.path, value, node, scope.function))

    def patch(self, node: ast.expr, value: Value) -> None:
        """Remember that `node` is written in another way than what it stands for."""
        if not (self.quiet or self.depth or self.unplaced):
            self.out.folds.append((node, value))


def _entry(table: Table, key: Value) -> Value:
    if not isinstance(key, Const) or isinstance(key.value, (list, slice)):
        return UNKNOWN
    return table.items.get(key.value, UNKNOWN)


def _exports(module: str, name: str) -> bool:
    """Whether ``from module import *`` gives `name`, as far as that is known without importing anything."""
    if module in sys.stdlib_module_names:
        return name in getattr(sys.modules.get(module), "__dict__", ())
    return name not in _BUILTINS
