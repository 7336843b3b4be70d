"""Calls: what a call of a known function gives, and which calls assign something or execute a text."""

from __future__ import annotations

import abc
import ast
import posixpath
import re
from collections.abc import Callable

from guard import folding
from guard.names import Names
from guard.reading import CallSite, Scope, Text
from guard.values import (
    HOLE,
    MAX_ITEMS,
    UNKNOWN,
    Budget,
    Const,
    Partial,
    Ref,
    Table,
    Value,
    child,
    is_known,
    path_of,
    piece,
    text_of,
)

_MAX_NAME = 80
_WRITERS = ("write", "write_text", "write_bytes", "writelines")
_IMPORTS = re.compile(r"(?m)^[ \t]*(?:import|from)[ \t]+\w|__import__")


class Calls(Names):
    """Evaluates calls."""

    @abc.abstractmethod
    def read_file(self, text: Text) -> None:
        """Read a text that the source writes to a file, if it is Python."""

    @abc.abstractmethod
    def open(self, value: Value, text: Text, scope: Scope) -> None:
        """Read a text that the source executes."""

    def call(self, node: ast.Call, scope: Scope) -> Value:
        """What a call gives; notes the call, and what it assigns or executes."""
        function = self.eval(node.func, scope)
        receiver, name = self._bound(node.func)
        arguments = [self.eval(argument, scope) for argument in node.args]
        keywords = {word.arg or "**": self.eval(word.value, scope) for word in node.keywords}
        site = CallSite(path_of(function), receiver, tuple(arguments), keywords, node, scope.function)
        if not self.quiet:
            self.out.calls.append(site)
        self._store_by_call(site, scope)
        self._write_by_call(site)
        if isinstance(function, Ref) and function.path.startswith("operator.attrgetter()") and arguments:
            made: Value | None = self.attribute(arguments[0], function.text) if function.text else None
        else:
            made = self._result(site, name, scope)
        if made is None:
            return child(function, "()")
        if isinstance(made, Ref):
            self.note_read(made, node, scope)
            if is_known(made.path) or made.path.rpartition(".")[2].isidentifier():
                self.patch(node, made)
        return self.folded(node, made)

    def folded(self, node: ast.expr, value: Value) -> Value:
        """Remember that `node` is a text or number that is not written out."""
        if isinstance(value, Const | Partial) and not self.quiet:
            self.note_text(node, value)
            self.patch(node, value)
        return value

    def note_text(self, node: ast.expr, value: Value) -> None:
        """Note a text of the source."""
        if not self.quiet and (text := text_of(value)) is not None:
            self.budget.spend(0, len(text))
            self.out.texts.append(self.text_at(node, text, not isinstance(value, Partial)))

    def text_at(self, node: ast.expr, text: str, exact: bool) -> Text:
        """A text and where it stands. Within a nested source the lines are those of the text around it."""
        last = node.end_lineno or node.lineno
        spread = text.count("\n") == last - node.lineno
        if self.out.origin is not None:
            spread, last = False, self.out.origin.end_line
        return Text(text, exact, self.out.place(node), last, spread)

    # results

    def _bound(self, function: ast.expr) -> tuple[Value, str]:
        """The object and name of a method that is called, also if it comes from ``getattr``."""
        if isinstance(function, ast.Attribute):
            return self.out.values.get(function.value, UNKNOWN), function.attr
        if isinstance(function, ast.Call) and len(function.args) > 1:
            getter = self.out.values.get(function.func, UNKNOWN)
            if _SPECIAL.get(path_of(getter)) is Calls._getattr:
                owner, name = (self.out.values.get(part, UNKNOWN) for part in function.args[:2])
                return owner, text_of(name) or ""
        return UNKNOWN, ""

    def _result(self, site: CallSite, name: str, scope: Scope) -> Value | None:
        receiver, arguments = site.receiver, list(site.arguments)
        if name and not isinstance(receiver, Ref):
            return self._method(name, receiver, arguments, site.keywords, scope)
        if isinstance(receiver, Ref) and receiver.path.startswith("pathlib."):
            return _path_method(site.path, receiver, arguments)
        special = _SPECIAL.get(site.path)
        if special is not None:
            return special(self, site, scope)
        if site.path.endswith(".__getattribute__") and len(arguments) == 1:
            wanted = text_of(arguments[0])
            return self.attribute(receiver, wanted) if wanted and is_known(path_of(receiver)) else None
        if site.path.endswith(".__dict__.get") and arguments:
            return self.item(receiver, arguments[0], scope)
        return folding.call(site.path, arguments, self.budget)

    def _method(
        self, name: str, receiver: Value, arguments: list[Value], keywords: dict[str, Value], scope: Scope
    ) -> Value | None:
        if isinstance(receiver, Const) and isinstance(receiver.value, (str, bytes)):
            return folding.method(receiver.value, name, arguments, keywords, self.budget)
        if isinstance(receiver, Table) and name == "get" and arguments:
            return self.item(receiver, arguments[0], scope)
        return None

    def _getattr(self, site: CallSite, scope: Scope) -> Value | None:  # noqa: ARG002
        name = text_of(site.arguments[1]) if len(site.arguments) > 1 else None
        if name is None or len(name) > _MAX_NAME or not name.isidentifier():
            return None
        return self.attribute(site.arguments[0], name)

    def _import(self, site: CallSite, scope: Scope) -> Value | None:  # noqa: ARG002
        name = text_of(site.arguments[0]) if site.arguments else None
        if name is None or len(name) > _MAX_NAME:
            return None
        return Ref(name.split(".")[0] if site.path == "builtins.__import__" else name)

    def _vars(self, site: CallSite, scope: Scope) -> Value | None:  # noqa: ARG002
        return child(site.arguments[0], ".__dict__") if site.arguments else None

    def _compile(self, site: CallSite, scope: Scope) -> Value | None:  # noqa: ARG002
        return next((value for value in site.arguments[:1] if isinstance(value, Const | Partial)), None)

    def _attrgetter(self, site: CallSite, scope: Scope) -> Value | None:  # noqa: ARG002
        name = text_of(site.arguments[0]) if site.arguments else None
        return Ref("operator.attrgetter()", name) if name and len(name) <= _MAX_NAME else None

    def _partial(self, site: CallSite, scope: Scope) -> Value | None:  # noqa: ARG002
        first = site.arguments[0] if site.arguments else UNKNOWN
        return first if isinstance(first, Ref) and is_known(first.path) else None

    def _map(self, site: CallSite, scope: Scope) -> Value | None:  # noqa: ARG002
        items = self.constants(site.arguments[1]) if len(site.arguments) == 2 else None
        if not items or len(items) > MAX_ITEMS:
            return None
        made = [folding.call(path_of(site.arguments[0]), [item], self.budget) for item in items]
        kept = [item for item in made if item is not None]
        return folding.sequence(kept, list, self.budget) if len(kept) == len(made) else None

    def _execute(self, site: CallSite, scope: Scope) -> Value | None:
        text = self._executed(site)
        if text is not None:
            self.open(site.arguments[0], text, scope)
        return None

    def _evaluate(self, site: CallSite, scope: Scope) -> Value | None:
        text = self._executed(site)
        if text is None or self.depth:
            return None
        self.open(site.arguments[0], text, scope)
        try:
            tree = ast.parse(text.text.strip(), mode="eval")
        except (SyntaxError, ValueError):
            return None
        self.quiet += 1
        value = self.eval(tree.body, scope)
        self.quiet -= 1
        return value

    def _executed(self, site: CallSite) -> Text | None:
        if self.quiet or not site.arguments or (text := text_of(site.arguments[0])) is None:
            return None
        return self.text_at(site.node.args[0], text, not isinstance(site.arguments[0], Partial))

    # assignments made by calls

    def _store_by_call(self, site: CallSite, scope: Scope) -> None:
        last = site.path.rpartition(".")[2]
        arguments = site.arguments
        if last in ("setattr", "__setattr__", "delattr", "__delattr__"):
            owned = last.startswith("__") and isinstance(site.receiver, Ref) and len(arguments) < 3
            self._set(site, site.receiver if owned else _at(arguments, 0), arguments[0 if owned else 1 :], scope)
        elif site.path.endswith("mock.patch.object"):
            self._set(site, _at(arguments, 0), arguments[1:], scope)
        elif site.path.endswith("mock.patch") and (target := text_of(_at(arguments, 0))):
            self.note_store(Ref(target), UNKNOWN, site.node, scope)
        elif site.path.endswith((".__dict__.update", "globals().update", ".f_globals.update", ".f_locals.update")):
            names = [str(key) for table in arguments if isinstance(table, Table) for key in table.items]
            for name in (*names, *site.keywords):
                self.note_store(self.slot(site.receiver, Const(name), scope), UNKNOWN, site.node, scope)
        elif last == "__setitem__" and len(arguments) == 2:
            self.note_store(self.slot(site.receiver, arguments[0], scope), arguments[1], site.node, scope)
        elif site.path == "operator.setitem" and len(arguments) == 3:
            self.note_store(self.slot(arguments[0], arguments[1], scope), arguments[2], site.node, scope)

    def _write_by_call(self, site: CallSite) -> None:
        if self.quiet or not site.arguments or site.path.rpartition(".")[2] not in _WRITERS:
            return
        text = text_of(site.arguments[0])
        if text is not None and _IMPORTS.search(text):
            exact = not isinstance(site.arguments[0], Partial)
            self.read_file(self.text_at(site.node.args[0], text, exact))

    def _set(self, site: CallSite, owner: Value, rest: tuple[Value, ...], scope: Scope) -> None:
        """Note the store; a name that is not known is any item of the owner's ``__dict__``."""
        name = text_of(_at(rest, 0))
        if name is None or HOLE in name:
            self.note_store(child(owner, ".__dict__[]"), _at(rest, 1), site.node, scope)
        elif len(name) <= _MAX_NAME:
            self.note_store(child(owner, "." + name), _at(rest, 1), site.node, scope)


def _at(values: tuple[Value, ...], place: int) -> Value:
    return values[place] if place < len(values) else UNKNOWN


def _path_method(path: str, receiver: Ref, arguments: list[Value]) -> Value | None:
    """Methods of a path object that give another path object."""
    name = path.rpartition(".")[2]
    if name == "joinpath":
        parts = [piece(item) for item in arguments]
        return Ref("pathlib.Path()", posixpath.join(receiver.text or HOLE, *parts)[:4096])
    if name in ("resolve", "absolute", "expanduser"):
        return receiver
    if name in ("Path", "PurePath", "PosixPath"):
        return folding.call(path, arguments, Budget())
    return None


_SPECIAL: dict[str, Callable[[Calls, CallSite, Scope], Value | None]] = {
    "builtins.getattr": Calls._getattr,
    "inspect.getattr_static": Calls._getattr,
    "builtins.object.__getattribute__": Calls._getattr,
    "builtins.type.__getattribute__": Calls._getattr,
    "types.ModuleType.__getattribute__": Calls._getattr,
    "builtins.__import__": Calls._import,
    "importlib.import_module": Calls._import,
    "importlib.__import__": Calls._import,
    "builtins.vars": Calls._vars,
    "builtins.compile": Calls._compile,
    "builtins.exec": Calls._execute,
    "builtins.eval": Calls._evaluate,
    "builtins.map": Calls._map,
    "functools.partial": Calls._partial,
    "operator.attrgetter": Calls._attrgetter,
}
