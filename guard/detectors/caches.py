"""Detects answers kept from earlier calls, by what they are looked up with."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from guard.canonical import Views
from guard.detectors.base import Detect, ParameterError, known
from guard.detectors.evaluation import METADATA, Replay
from guard.detectors.flow import Flow
from guard.detectors.persistence import ENTRY, Code, own_nodes, understand
from guard.reading import Place, Reading
from guard.values import UNKNOWN, path_of

KINDS = ("id", "data_ptr", "content", "equality", "shape", "last", "hidden")
_MAX_LOOKS = 400


def output_cache(parameters: dict[str, Any]) -> Detect:
    """Results of ``custom_kernel`` that an earlier call computed.

    `key` is what they are found by: ``id``, ``data_ptr``, ``content``, ``equality``, ``shape``, ``last`` (nothing: the
    latest), or ``hidden``: by shape or nothing, in a default argument, closure, or attribute.
    """
    known(parameters, key=str)
    key = parameters.get("key")
    if key not in KINDS:
        raise ParameterError(f"parameter 'key' must be one of {', '.join(KINDS)}")

    def detect(views: Views) -> Iterator[Place]:
        for kind, place in _replays(views):
            if kind == key:
                yield place

    return detect


def call_counter(parameters: dict[str, Any]) -> Detect:
    """Counters that survive calls and that a condition compares with a number."""
    known(parameters)

    def detect(views: Views) -> Iterator[Place]:
        for code in _codes(views):
            for item in code.reading.defined:
                if not isinstance(item.node, ast.ClassDef):
                    yield from _counted(code, item.node)

    return detect


def _codes(views: Views) -> list[Code]:
    if "codes" not in views.memo:
        relevant = [reading for reading in views.readings if any(one.name == ENTRY for one in reading.defined)]
        others = [reading for reading in views.readings if reading not in relevant and ENTRY in views.raw]
        views.memo["codes"] = [understand(reading) for reading in (*relevant, *others)]
    codes: list[Code] = views.memo["codes"]
    return codes


def _replays(views: Views) -> list[tuple[str, Place]]:
    if "replays" not in views.memo:
        found = []
        for code in _codes(views):
            flow = Flow(code)
            flow.run()
            found += [(_kind(flow, replay), code.reading.place(replay.node)) for replay in flow.replays]
        views.memo["replays"] = list(dict.fromkeys(found))
    replays: list[tuple[str, Place]] = views.memo["replays"]
    return replays


def _kind(flow: Flow, replay: Replay) -> str:
    keys = [*flow.keys.get(replay.cell, ()), *flow.keys.get("==", ())]
    kinds = {kind for key in keys for kind in _key_kinds(flow, key)}
    if replay.cell in flow.code.functions:
        kinds.add("id")
    if replay.compared and not kinds & {"id", "data_ptr"}:
        return "equality"
    for kind in ("data_ptr", "id", "content"):
        if kind in kinds:
            return kind
    if "." in replay.cell or not _is_global(flow.code.reading, replay.cell):
        return "hidden"
    return "shape" if keys else "last"


def _is_global(reading: Reading, name: str) -> bool:
    for statement in reading.tree.body:
        for node in ast.walk(statement) if not isinstance(statement, ast.FunctionDef | ast.ClassDef) else ():
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
                return True
    return any(isinstance(node, ast.Global) and name in node.names for node in ast.walk(reading.tree))


def _key_kinds(flow: Flow, key: ast.AST) -> set[str]:
    """What a key is made of, followed through local names and the source's own functions."""
    kinds: set[str] = set()
    waiting, seen = [key], 0
    while waiting and seen < _MAX_LOOKS:
        node = waiting.pop()
        seen += 1
        if isinstance(node, ast.Attribute) and node.attr in METADATA:
            kinds.add("shape")
            continue
        if isinstance(node, ast.Call):
            path = path_of(flow.code.reading.values.get(node.func, UNKNOWN))
            name = node.func.attr if isinstance(node.func, ast.Attribute) else path.rpartition(".")[2].lstrip("?@")
            if name in ("data_ptr", "untyped_storage", "const_data_ptr"):
                kinds.add("data_ptr")
                continue
            if name == "id":
                kinds.add("id")
                continue
            if name in METADATA or name == "len":
                kinds.add("shape")
                continue
            if name in _CONTENT:
                kinds.add("content")
            if isinstance(node.func, ast.Name) and name in flow.code.functions:
                function = flow.code.functions[name]
                waiting += [part.value for part in own_nodes(function) if isinstance(part, ast.Return) and part.value]
        if isinstance(node, ast.Compare) and any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
            kinds.add("id")
        if isinstance(node, ast.Name):
            waiting += flow.assigned.get(node.id, ())
        else:
            waiting += ast.iter_child_nodes(node)
    return kinds


_CONTENT = {
    "item", "tolist", "tobytes", "sum", "mean", "hash", "md5", "sha1", "sha256", "blake2b", "hexdigest",
    "digest", "crc32", "adler32", "float", "norm", "dot", "max", "min", "prod", "std", "var", "hash_tensor",
    "fingerprint",
}  # fmt: skip


def _counted(code: Code, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Place]:
    counters = set()
    for node in own_nodes(function):
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and isinstance(node.value, ast.Constant):
            target = node.target.value if isinstance(node.target, ast.Subscript) else node.target
            name = ast.unparse(target)
            if name in code.cells:
                counters.add(name)
    for node in own_nodes(function) if counters else ():
        if isinstance(node, ast.If | ast.IfExp) and any(
            isinstance(part, ast.Name | ast.Attribute) and ast.unparse(part) in counters for part in ast.walk(node.test)
        ):
            yield code.reading.place(node)
