"""Detectors for code that is not in the source, and for searches of the heap and of loaded modules."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from guard.canonical import Views
from guard.detectors.base import Detect, ParameterError, compiled, known
from guard.reading import CallSite, Place, Reading
from guard.values import UNKNOWN, Const, Partial, Value, path_of

_DECODERS = (
    "base64.", "binascii.", "codecs.decode", "zlib.decompress", "gzip.decompress", "bz2.decompress",
    "lzma.decompress", "builtins.bytes.fromhex", "builtins.bytearray.fromhex", "marshal.loads", "builtins.chr",
)  # fmt: skip
_RUNNERS = ("builtins.exec", "builtins.eval")
_LOADERS = (
    "importlib.util.spec_from_file_location", "importlib.machinery.SourceFileLoader", "runpy.run_path",
    "importlib.machinery.SourcelessFileLoader",
)  # fmt: skip
_MODULES = ("sys.modules", "sys.modules.values", "sys.modules.items", "sys.modules.copy")
_CONTENTS = ("builtins.vars", "builtins.dir", "inspect.getmembers", "inspect.getmembers_static")
_HEAP = ("gc.get_objects",)
_TESTS = ("builtins.isinstance", "torch.is_tensor", "builtins.type", "builtins.hasattr", "builtins.getattr")


def executed(parameters: dict[str, Any]) -> Detect:
    """Calls of ``exec`` and ``eval`` whose `payload` is ``decoded`` by the source, or ``unknown`` until it runs.

    A file that is loaded as a module counts if the source decodes something.
    """
    known(parameters, payload=str)
    payload = parameters.get("payload")
    if payload not in ("decoded", "unknown"):
        raise ParameterError("parameter 'payload' must be 'decoded' or 'unknown'")

    def detect(views: Views) -> Iterator[Place]:
        for reading in views.readings:
            decodes = any(site.path.startswith(_DECODERS) for site in reading.calls)
            for site in reading.calls:
                if decodes and payload == "decoded" and site.path in _LOADERS:
                    yield reading.place(site.node)
                if site.path not in _RUNNERS or not site.arguments:
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


def module_search(parameters: dict[str, Any]) -> Detect:
    """Loops over all loaded modules, in a source that looks into the contents of objects it does not name."""
    known(parameters)

    def detect(views: Views) -> Iterator[Place]:
        for reading in views.readings:
            if not any(mention.path == "sys.modules" for mention in reading.reads) or not _looks_inside(reading):
                continue
            for node, over, _ in _loops(reading):
                if _mentions(reading, [over], _MODULES):
                    yield reading.place(node)

    return detect


def _looks_inside(reading: Reading) -> bool:
    """Whether the contents of something are listed that only a variable names, other than an instance's own."""
    listed = any(site.path in _CONTENTS and path_of(_first(site)).startswith("?") for site in reading.calls)
    return listed or any(
        mention.path.startswith("?") and mention.path.endswith(".__dict__") and not mention.path.startswith("?self.")
        for mention in reading.reads
    )


def _first(site: CallSite) -> Value:
    return site.arguments[0] if site.arguments else UNKNOWN


def _searches(reading: Reading) -> Iterator[Place]:
    for node, over, parts in _loops(reading):
        if _mentions(reading, [over], _HEAP) and _mentions(reading, parts, _TESTS):
            yield reading.place(node)


def _loops(reading: Reading) -> Iterator[tuple[ast.AST, ast.AST, list[ast.AST]]]:
    """Every loop of a source: its node, what it runs over, and what it does."""
    for node in ast.walk(reading.tree):
        if isinstance(node, ast.For | ast.AsyncFor):
            yield node, node.iter, [*node.body]
        elif isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp):
            yield node, ast.Tuple([part.iter for part in node.generators], ast.Load()), [node]
        elif isinstance(node, ast.Call) and _mentions(reading, [node.func], ("builtins.filter", "builtins.map")):
            yield node, node, [node]


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
