"""Detectors for threads that outlive a call, code that is not in the source, and searches of the heap."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from guard.canonical import Views
from guard.detectors.base import Detect, ParameterError, compiled, known
from guard.reading import CallSite, Place, Reading
from guard.values import UNKNOWN, Const, Partial, Seq, path_of

_STARTERS = ("_thread.start_new_thread", "_thread.start_new", "threading.Thread", "threading.Timer")
_WAITS = (".result", ".wait", ".shutdown", "futures.wait", "futures.as_completed", ".acquire")
_DECODERS = (
    "base64.", "binascii.", "codecs.decode", "zlib.decompress", "gzip.decompress", "bz2.decompress",
    "lzma.decompress", "builtins.bytes.fromhex", "builtins.bytearray.fromhex", "marshal.loads", "builtins.chr",
)  # fmt: skip
_HEAP = ("gc.get_objects",)
_TESTS = ("builtins.isinstance", "torch.is_tensor", "builtins.type", "builtins.hasattr", "builtins.getattr")


def outliving(parameters: dict[str, Any]) -> Detect:
    """Threads and tasks that are started and never waited for."""
    known(parameters)

    def detect(views: Views) -> Iterator[Place]:
        for reading in views.readings:
            started = [site for site in reading.calls if _starts(site.path)]
            if started and not _waits(reading.calls) and not _in_with(reading, "Executor()"):
                yield from (reading.place(site.node) for site in started)

    return detect


def _starts(path: str) -> bool:
    return path in _STARTERS or (path.endswith(".submit") and "Executor()" in path)


def _waits(calls: Iterable[CallSite]) -> bool:
    """Whether anything waits for a thread. Its ``join`` takes no argument but a time-out, unlike that of texts."""
    for site in calls:
        if site.path.endswith(_WAITS):
            return True
        timed = all(isinstance(value, Const) and isinstance(value.value, (int, float)) for value in site.arguments)
        if site.path.endswith(".join") and timed and not isinstance(site.receiver, Const | Partial | Seq):
            return True
    return False


def _in_with(reading: Reading, path: str) -> bool:
    return any(
        path in path_of(reading.values.get(item.context_expr, UNKNOWN))
        for node in ast.walk(reading.tree)
        if isinstance(node, ast.With | ast.AsyncWith)
        for item in node.items
    )


def executed(parameters: dict[str, Any]) -> Detect:
    """Calls of ``exec`` and ``eval`` whose `payload` is ``decoded`` by the source, or ``unknown`` until it runs."""
    known(parameters, payload=str)
    payload = parameters.get("payload")
    if payload not in ("decoded", "unknown"):
        raise ParameterError("parameter 'payload' must be 'decoded' or 'unknown'")

    def detect(views: Views) -> Iterator[Place]:
        for reading in views.readings:
            decodes = any(site.path.startswith(_DECODERS) for site in reading.calls)
            for site in reading.calls:
                if site.path not in ("builtins.exec", "builtins.eval") or not site.arguments:
                    continue
                is_known = isinstance(site.arguments[0], Const | Partial)
                if decodes if payload == "decoded" else not decodes and not is_known:
                    yield reading.place(site.node)

    return detect


def heap_search(parameters: dict[str, Any]) -> Detect:
    """Loops over all objects of the heap that look for certain ones."""
    known(parameters)

    def detect(views: Views) -> Iterator[Place]:
        for reading in views.readings:
            if any(site.path in _HEAP for site in reading.calls):
                yield from _searches(reading)

    return detect


def _searches(reading: Reading) -> Iterator[Place]:
    for node in ast.walk(reading.tree):
        over: ast.AST
        parts: list[ast.AST]
        if isinstance(node, ast.For | ast.AsyncFor):
            over, parts = node.iter, [*node.body]
        elif isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp):
            over, parts = node.generators[0].iter, [node]
        elif isinstance(node, ast.Call) and _mentions(reading, [node.func], ("builtins.filter",)):
            over, parts = node, [node]
        else:
            continue
        if _mentions(reading, [over], _HEAP) and _mentions(reading, parts, _TESTS):
            yield reading.place(node)


def _mentions(reading: Reading, nodes: Iterable[ast.AST], names: tuple[str, ...]) -> bool:
    """Whether one of the paths `names`, or a call of it, occurs in `nodes`."""
    parts = (reading.values.get(part, UNKNOWN) for node in nodes for part in ast.walk(node))
    return any(path_of(value).removesuffix("()") in names for value in parts)


def assembled(parameters: dict[str, Any]) -> Detect:
    """Text matching `pattern` that macros of a C++ source put together, and that is not written out anywhere."""
    known(parameters, pattern=str)
    pattern = compiled(parameters.get("pattern", ""))

    def detect(views: Views) -> Iterator[Place]:
        raw = views.encoded("raw")
        for nested in views.nested:
            if nested.lang == "cpp":
                data = nested.text.encode(errors="replace")
                for found in pattern.finditer(data):
                    if found.group() not in raw and found.group() not in nested.origin.text.encode(errors="replace"):
                        yield nested.place_at(len(data[: found.start()].decode(errors="ignore")))

    return detect
