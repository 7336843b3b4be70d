"""What survives from one call to the next: globals, closures, defaults and attributes that functions write."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from guard.reading import Reading
from guard.values import Ref

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
MUTATORS = {
    "append", "appendleft", "add", "update", "insert", "extend", "setdefault", "put", "put_nowait", "set",
    "pop", "popleft", "popitem", "move_to_end",
}  # fmt: skip
ALLOCATORS = {
    "empty", "zeros", "ones", "full", "empty_like", "zeros_like", "ones_like", "full_like", "empty_strided",
    "rand", "randn",
}  # fmt: skip
ENTRY = "custom_kernel"


@dataclass
class Code:
    """The functions of a source, where it starts, and the cells: dotted names that keep their content between calls."""

    reading: Reading
    functions: dict[str, FunctionNode] = field(default_factory=dict)
    methods: dict[tuple[str, str], FunctionNode] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    instances: dict[str, str] = field(default_factory=dict)
    cells: set[str] = field(default_factory=set)
    entries: list[tuple[FunctionNode | ast.Lambda, str]] = field(default_factory=list)


def understand(reading: Reading) -> Code:
    """The :class:`Code` of one source; entries are the functions that ``custom_kernel`` may be, with their class."""
    code = Code(reading)
    for item in reading.defined:
        if isinstance(item.node, ast.ClassDef):
            code.classes[item.name] = item.node
        else:
            code.functions.setdefault(item.name, item.node)
    for owner in code.classes.values():
        for part in owner.body:
            if isinstance(part, FunctionNode):
                code.methods[owner.name, part.name] = part
                _name_instance(part)
    for function in [item.node for item in reading.defined if isinstance(item.node, FunctionNode)]:
        code.cells |= set(_written(function))
    passed = {
        part.id
        for site in reading.calls
        for argument in (*site.node.args, *(word.value for word in site.node.keywords))
        for part in ast.walk(argument)
        if isinstance(part, ast.Name)
    }
    for statement in reading.tree.body:
        _module_level(statement, code, passed)
    for mention in reading.stores:
        if mention.function and isinstance(mention.node, ast.Call) and "." in mention.path:
            code.cells.add(mention.path.lstrip("?@").split("[")[0].split("(")[0])
    _find_entries(code)
    return code


def _name_instance(method: FunctionNode) -> None:
    """Let a method call its instance ``self``, whatever the source calls it; the tree is the guard's own."""
    first = next(iter((*method.args.posonlyargs, *method.args.args)), None)
    if first is None or first.arg in ("self", "cls") or method.decorator_list:
        return
    name, first.arg = first.arg, "self"
    for node in ast.walk(method):
        if isinstance(node, ast.Name) and node.id == name:
            node.id = "self"


def dotted(node: ast.AST, reading: Reading) -> str:
    """``a.b`` for an attribute chain, also through ``getattr`` with a known name; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value, reading)
        return f"{base}.{node.attr}" if base else ""
    if isinstance(node, ast.Call):
        value = reading.values.get(node)
        if isinstance(value, Ref) and "(" not in value.path and "[" not in value.path:
            return value.path.lstrip("?@")
    return ""


def target_of(node: ast.AST) -> ast.AST:
    """What an assignment to an item, or a method call on an item, changes in the end: ``C`` for ``C[k][0]``."""
    while isinstance(node, ast.Subscript | ast.Starred):
        node = node.value
    return node


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function's body, without those of functions and classes defined in it."""
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, FunctionNode | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)


def _written(function: FunctionNode) -> Iterator[str]:
    """The cells that `function` writes: all it assigns to or changes that is not its own local variable."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    kept = dict(zip([one.arg for one in positional[::-1]], arguments.defaults[::-1], strict=False))
    kept |= {one.arg: at for one, at in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if at}
    defaults = {name for name, at in kept.items() if isinstance(at, ast.Dict | ast.List | ast.Set | ast.Call)}
    local = {one.arg for one in (*positional, *arguments.kwonlyargs)} - defaults
    shared: set[str] = set()
    changed: list[ast.AST] = []
    for node in own_nodes(function):
        if isinstance(node, ast.Global | ast.Nonlocal):
            shared.update(node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            local.add(node.id)
        elif isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
            changed.append(target_of(node))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
            changed.append(target_of(node.func.value))
    yield from shared
    for node in changed:
        name = _plain(node)
        root = name.partition(".")[0]
        outside = root in shared or root not in local or (root in ("self", "cls") and "." in name)
        if name and outside and function.name != "__init__":
            yield name


def _plain(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = _plain(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


def _module_level(statement: ast.stmt, code: Code, passed: set[str]) -> None:
    """Objects that exist from the import on, and buffers that are passed to something that may write them."""
    if isinstance(statement, ast.If | ast.Try | ast.With):
        for part in (*statement.body, *getattr(statement, "orelse", ())):
            _module_level(part, code, passed)
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return
    called = _plain(statement.value.func)
    for target in statement.targets:
        if isinstance(target, ast.Name):
            if called.rpartition(".")[2] in ALLOCATORS and "." in called and target.id in passed:
                code.cells.add(target.id)
            if called in code.classes:
                code.instances[target.id] = called


def _find_entries(code: Code) -> None:
    for function in [item for item in code.reading.defined if item.name == ENTRY and not item.owner]:
        if isinstance(function.node, FunctionNode):
            code.entries.append((function.node, ""))
            for decorator in function.node.decorator_list:
                _made_by(decorator.func if isinstance(decorator, ast.Call) else decorator, code)
        else:
            _instance_of(function.name, code)
    for node in ast.walk(code.reading.tree):
        if isinstance(node, ast.Assign) and any(_plain(target) == ENTRY for target in node.targets):
            _entry_value(node.value, code)


def _entry_value(value: ast.expr, code: Code) -> None:
    """``custom_kernel = value``."""
    if isinstance(value, ast.Lambda):
        code.entries.append((value, ""))
    elif isinstance(value, ast.Name) and value.id in code.functions:
        code.entries.append((code.functions[value.id], ""))
    elif isinstance(value, ast.Name) and value.id in code.instances:
        _instance_of(code.instances[value.id], code)
    elif isinstance(value, ast.Attribute):
        owner = code.instances.get(_plain(value.value), "")
        if (owner, value.attr) in code.methods:
            code.entries.append((code.methods[owner, value.attr], owner))
    elif isinstance(value, ast.Call):
        called = _plain(value.func)
        if called in code.classes:
            _instance_of(called, code)
        elif called in code.functions:
            _made_by(value.func, code)
        for argument in value.args[:1]:
            _entry_value(argument, code)


def _instance_of(name: str, code: Code) -> None:
    method = code.methods.get((name, "__call__")) or code.methods.get((name, "forward"))
    if method is not None:
        code.entries.append((method, name))


def _made_by(maker: ast.expr, code: Code) -> None:
    """The functions that a decorator or factory of the source's own gives back."""
    function = code.functions.get(_plain(maker))
    if function is None:
        return
    for node in ast.walk(function):
        if isinstance(node, FunctionNode | ast.Lambda) and node is not function:
            code.entries.append((node, ""))
