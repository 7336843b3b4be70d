"""What a value is computed from, by names: through assignments and the returns of the source's own functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import re2

from guard.reading import CallSite, Reading
from guard.values import UNKNOWN, path_of

_ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr)
_MAX_ROUNDS = 8


class Origins:
    """Tells which calls of one source are given something computed from a path that `origins` matches."""

    def __init__(self, reading: Reading, origins: re2._Regexp) -> None:
        self._reading = reading
        self._origins = origins
        self._carriers = _carriers(reading, origins)

    def reach(self, site: CallSite) -> bool:
        """Whether an argument of `site` is computed from one of them."""
        given = [*site.node.args, *(word.value for word in site.node.keywords)]
        return any(_mentions(self._reading, part, self._origins, self._carriers) for part in given)


def _carriers(reading: Reading, origins: re2._Regexp) -> set[str]:
    """The names that hold something computed from `origins`, and the functions that return it."""
    bindings = list(_bindings(reading.tree))
    found: set[str] = set()
    for _ in range(_MAX_ROUNDS):
        more = {name for name, value in bindings if name not in found and _mentions(reading, value, origins, found)}
        if not more:
            break
        found |= more
    return found


def _bindings(tree: ast.AST, function: str = "") -> Iterator[tuple[str, ast.expr]]:
    """Every name and an expression that it may hold; for a function, what it returns."""
    waiting = [(tree, function)]
    while waiting:
        node, owner = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            owner = node.name
        elif isinstance(node, ast.Return) and node.value is not None:
            yield owner, node.value
        elif isinstance(node, _ASSIGNMENTS) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                yield from ((part.id, node.value) for part in ast.walk(target) if isinstance(part, ast.Name))
        waiting += [(part, owner) for part in ast.iter_child_nodes(node)]


def _mentions(reading: Reading, node: ast.expr, origins: re2._Regexp, carriers: set[str]) -> bool:
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id in carriers:
            return True
        if origins.search(path_of(reading.values.get(part, UNKNOWN)).encode()):
            return True
    return False
