"""Rewrites that keep what a program does: other names, other ways to write a text, another place to stand."""

from __future__ import annotations

import ast
import base64
import builtins
from collections.abc import Callable
from typing import Any

KEPT = {"custom_kernel", *dir(builtins)}
Pick = Callable[[int], int]


def renamed(source: str, prefix: str) -> str:
    """Every name that the program binds itself gets another one, imports an alias."""
    tree = ast.parse(source)
    methods = {
        part.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for part in node.body
        if isinstance(part, ast.FunctionDef)
    }
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        for name in _bound(node):
            if name not in KEPT | methods and not name.startswith("__"):
                names.setdefault(name, f"{prefix}{len(names)}")
    return ast.unparse(ast.fix_missing_locations(_Renaming(names).visit(tree)))


def _bound(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return [node.id]
    if isinstance(node, ast.arg):
        return [node.arg]
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.alias) and node.name != "*" and "." not in node.name:
        return [node.asname or node.name]
    return []


class _Renaming(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = self.names.get(node.arg, node.arg)
        return node

    def visit_alias(self, node: ast.alias) -> ast.AST:
        bound = node.asname or node.name
        if bound in self.names:
            node.asname = self.names[bound]
        return node

    def visit_Global(self, node: ast.Global) -> ast.AST:
        node.names = [self.names.get(name, name) for name in node.names]
        return node

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        node.names = [self.names.get(name, name) for name in node.names]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self.names.get(node.name, node.name)
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.name = self.names.get(node.name, node.name)
        return self.generic_visit(node)


def respelled(source: str, pick: Pick) -> str:
    """Every text is put together from pieces, in a way that `pick` chooses."""
    tree = _Spelling(pick).visit(ast.parse(source))
    return ast.unparse(ast.fix_missing_locations(tree))


class _Spelling(ast.NodeTransformer):
    def __init__(self, pick: Pick) -> None:
        self.pick = pick

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if not isinstance(node.value, str) or len(node.value) < 2:
            return node
        return ast.parse(_SPELLINGS[self.pick(len(_SPELLINGS))](node.value, self.pick), mode="eval").body

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return node if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """Reads of attributes become ``getattr`` now and then."""
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and self.pick(3) == 0:
            return ast.Call(ast.Name("getattr", ast.Load()), [node.value, self.visit(ast.Constant(node.attr))], [])
        return node


def _halves(text: str, pick: Pick) -> str:
    cut = 1 + pick(len(text) - 1)
    return f"({text[:cut]!r} + {text[cut:]!r})"


_SPELLINGS: list[Callable[[str, Pick], str]] = [
    _halves,
    lambda text, pick: f"''.join({list(text)!r})",
    lambda text, pick: f"''.join(chr(n) for n in {[ord(letter) for letter in text]!r})",
    lambda text, pick: f"{text[::-1]!r}[::-1]",
    lambda text, pick: f"'%s%s' % ({text[:1]!r}, {text[1:]!r})",
    lambda text, pick: f"'{{}}{{}}'.format({text[:1]!r}, {text[1:]!r})",
    lambda text, pick: f"__import__('base64').b64decode({base64.b64encode(text.encode())!r}).decode()",
    lambda text, pick: f"bytes.fromhex({text.encode().hex()!r}).decode()",
]


def wrapped(source: str) -> str:
    """The whole program within a function that is called at once."""
    body = "\n".join("    " + line for line in ast.unparse(ast.parse(source)).splitlines())
    return f"def prepare():\n{body}\n\nprepare()\n"


def stored_as_text(source: str) -> str:
    """The whole program as a text that is executed."""
    return f"exec(__import__('base64').b64decode({base64.b64encode(source.encode())!r}))\n"
