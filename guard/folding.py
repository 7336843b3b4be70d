"""Evaluates constant expressions of a source without running it, within limits on size, depth and exponents."""

from __future__ import annotations

import ast
import base64
import binascii
import bz2
import codecs
import lzma
import operator
import posixpath
import re
import urllib.parse
import zlib
from collections.abc import Callable, Sequence
from typing import Any

from guard.values import (
    HOLE,
    MAX_BITS,
    MAX_ITEMS,
    MAX_TEXT,
    UNKNOWN,
    Budget,
    Const,
    Partial,
    Ref,
    Seq,
    Value,
    piece,
)

_CODECS = {
    "utf8", "ascii", "latin1", "iso88591", "utf16", "utf16le", "utf16be", "utf32", "utf32le", "utf32be",
    "rot13", "hex", "hexcodec", "base64", "base64codec", "unicodeescape", "rawunicodeescape", "cp1252", "utf8sig",
}  # fmt: skip
_WIDE_FORMAT = re.compile(r"\d{5}|%[^%]*\*")
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
}


def binary(op: ast.operator, left: Value, right: Value, budget: Budget) -> Value:
    """The value of ``left op right``; a text with holes if only one side of a text is known."""
    if isinstance(left, Const) and isinstance(right, Const):
        if not _is_small(op, left.value, right.value):
            return UNKNOWN
        return _try(_ARITHMETIC.get(type(op), _refuse), (left.value, right.value), budget)
    if isinstance(op, ast.Div) and isinstance(left, Ref) and left.path.startswith("pathlib."):
        return Ref(left.path, _bounded(posixpath.join(left.text or HOLE, piece(right)), budget))
    if isinstance(op, ast.Add):
        if isinstance(left, Seq | Const) and isinstance(right, Seq | Const):
            return _concatenated(left, right, budget)
        if _is_text(left) or _is_text(right):
            return Partial(_bounded(piece(left) + piece(right), budget))
    if isinstance(op, ast.Mod) and isinstance(left, Const) and isinstance(left.value, str):
        return percent(left.value, right, budget)
    return UNKNOWN


def _concatenated(left: Value, right: Value, budget: Budget) -> Value:
    first, second = _items(left), _items(right)
    return UNKNOWN if first is None or second is None else sequence((*first, *second), list, budget)


def _items(value: Value) -> tuple[Value, ...] | None:
    if isinstance(value, Seq):
        return value.items
    if isinstance(value, Const) and isinstance(value.value, (list, tuple)):
        return tuple(Const(item) for item in value.value)
    return None


def sequence(items: Sequence[Value], kind: Callable[[list[Any]], Any], budget: Budget) -> Value:
    """A list or tuple of `items`: a constant if they all are plain constants."""
    weight = sum(_weight(item) for item in items)
    budget.spend(1, weight)
    if weight > MAX_TEXT:
        return UNKNOWN
    if all(isinstance(item, Const) and not isinstance(item.value, (list, tuple)) for item in items):
        return Const(kind([item.value for item in items if isinstance(item, Const)]))
    return Seq(tuple(items), weight)


def _weight(value: Value) -> int:
    if isinstance(value, Const):
        return 8 + _size(value.value)
    if isinstance(value, Seq):
        return 8 + value.weight
    return 8 + (len(value.text) if isinstance(value, Partial | Ref) else 0)


def unary(op: ast.unaryop, operand: Value, budget: Budget) -> Value:
    """The value of ``op operand``."""
    if isinstance(operand, Const):
        return _try(_UNARY[type(op)], (operand.value,), budget)
    return UNKNOWN


def joined(parts: Sequence[Value], budget: Budget) -> Value:
    """The value of an f-string whose parts are `parts`."""
    text = _bounded("".join(piece(part) for part in parts), budget)
    whole = all(isinstance(part, Const) for part in parts)
    return Const(text) if whole else Partial(text)


def formatted(value: Value, conversion: int, spec: Value, budget: Budget) -> Value:
    """One replacement field of an f-string."""
    style = spec.value if isinstance(spec, Const) else None
    if not isinstance(value, Const) or style is None or len(style) > 40 or _WIDE_FORMAT.search(style):
        return value if isinstance(value, Partial) and style == "" else UNKNOWN
    conversions: dict[int, Callable[[Any], str]] = {ord("r"): repr, ord("s"): str, ord("a"): ascii}
    convert = conversions.get(conversion)
    return _try(lambda item: format(convert(item) if convert else item, style), (value.value,), budget)


def percent(template: str, right: Value, budget: Budget) -> Value:
    """``template % right``, with holes for what isn't known."""
    if _WIDE_FORMAT.search(template):
        return UNKNOWN
    items = right.items if isinstance(right, Seq) else (right,)
    fills = [piece(item) for item in items]
    pieces = re.split(r"%[-+ #0]*\d*(?:\.\d+)?[a-zA-Z]", template)
    text = pieces[0]
    for place, after in enumerate(pieces[1:]):
        text += (fills[place] if place < len(fills) else HOLE) + after
    return Partial(_bounded(text, budget))


def index(base: Value, key: Value, budget: Budget) -> Value:
    """``base[key]`` for constants."""
    if isinstance(key, Const):
        if isinstance(base, Const) and isinstance(base.value, (str, bytes, list, tuple)):
            return _try(operator.getitem, (base.value, key.value), budget)
        if isinstance(base, Seq) and type(key.value) is int and -len(base.items) <= key.value < len(base.items):
            return base.items[key.value]
    return UNKNOWN


def method(base: Any, name: str, arguments: list[Value], keywords: dict[str, Value], budget: Budget) -> Value:
    """``base.name(...)`` for a constant text or bytes `base`."""
    if name == "format" and isinstance(base, str):
        return _format(base, arguments, keywords, budget)
    if name == "join" and len(arguments) == 1 and (items := _items(arguments[0])) is not None:
        return _join(base, items, budget)
    values = [item.value for item in arguments if isinstance(item, Const)]
    if name not in _METHODS or len(values) != len(arguments) or keywords:
        return UNKNOWN
    if name in ("encode", "decode"):
        return _coded(base, values, name, budget)
    if name == "replace" and len(values) > 1 and len(base) * max(len(str(values[1])), 1) > MAX_TEXT:
        return UNKNOWN
    return _try(getattr(type(base), name, _refuse), (base, *values), budget)


_METHODS = {
    "replace", "lower", "upper", "strip", "lstrip", "rstrip", "split", "encode", "decode", "hex", "swapcase",
    "title", "capitalize", "removeprefix", "removesuffix", "splitlines", "partition", "casefold", "rsplit",
}  # fmt: skip


def _join(base: Any, items: Sequence[Value], budget: Budget) -> Value:
    if all(isinstance(item, Const) and isinstance(item.value, type(base)) for item in items):
        return _try(base.join, ([item.value for item in items if isinstance(item, Const)],), budget)
    return Partial(_bounded(base.join(piece(item) for item in items), budget)) if isinstance(base, str) else UNKNOWN


def _format(base: str, arguments: list[Value], keywords: dict[str, Value], budget: Budget) -> Value:
    if _WIDE_FORMAT.search(base) or re.search(r"\{[^}]*[.\[]", base):
        return UNKNOWN
    whole = all(isinstance(item, Const) for item in (*arguments, *keywords.values()))
    fills = [item.value if isinstance(item, Const) else piece(item) for item in arguments]
    named = {name: item.value if isinstance(item, Const) else piece(item) for name, item in keywords.items()}
    made = _try(lambda: base.format(*fills, **named), (), budget)
    return made if whole or not isinstance(made, Const) else Partial(made.value)


def _coded(base: Any, values: list[Any], way: str, budget: Budget) -> Value:
    name = str(values[0]) if values else "utf8"
    if re.sub(r"[-_ ]", "", name).lower() not in _CODECS:
        return UNKNOWN
    coder = codecs.encode if way == "encode" else codecs.decode
    return _try(lambda data: coder(data, name), (base,), budget)


def call(path: str, arguments: list[Value], budget: Budget) -> Value | None:
    """The value of a call of a known pure function, or None if `path` isn't one."""
    if path in ("os.path.join", "posixpath.join"):
        joined_path = posixpath.join(*(piece(item) for item in arguments)) if arguments else ""
        return Partial(_bounded(joined_path, budget)) if HOLE in joined_path else Const(joined_path)
    if path.startswith("pathlib.") and path.rsplit(".", 1)[-1] in _PATHS:
        text = posixpath.join(*(piece(item) for item in arguments)) if arguments else "."
        return Ref(path + "()", _bounded(text, budget))
    if path == "builtins.str" and len(arguments) == 1 and isinstance(arguments[0], Partial | Ref):
        return arguments[0] if piece(arguments[0]) != HOLE else None
    function = _FUNCTIONS.get(path)
    if function is None or not all(isinstance(item, Const) for item in arguments):
        return None
    values = tuple(item.value for item in arguments if isinstance(item, Const))
    return _try(function, values, budget)


_PATHS = {"Path", "PurePath", "PosixPath", "PurePosixPath"}


def _inflate(data: bytes) -> bytes:
    return zlib.decompressobj(wbits=47).decompress(data, MAX_TEXT)


def _sized_bytes(value: Any, *rest: Any) -> bytes:
    if isinstance(value, int):
        raise ValueError("a size, not content")
    return bytes(value, *rest)


def _decoded(data: Any, name: str = "utf8", *_: Any) -> Any:
    if re.sub(r"[-_ ]", "", name).lower() not in _CODECS:
        raise ValueError("not one of the codecs that are followed")
    return codecs.decode(data, name)


def _range(*values: int) -> list[int]:
    made = range(*values)
    if len(made) > MAX_ITEMS:
        raise ValueError("too long")
    return list(made)


def _integer(value: Any, *rest: int) -> int:
    if isinstance(value, (str, bytes)) and len(value) > 1000:
        raise ValueError("too long")
    return int(value, *rest)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "builtins.chr": chr,
    "builtins.ord": ord,
    "builtins.hex": hex,
    "builtins.str": lambda value="", *rest: str(value, *rest) if rest else str(value),
    "builtins.int": _integer,
    "builtins.len": len,
    "builtins.abs": abs,
    "builtins.repr": repr,
    "builtins.ascii": ascii,
    "builtins.bytes": _sized_bytes,
    "builtins.bytearray": lambda *values: bytes(_sized_bytes(*values)),
    "builtins.bytes.fromhex": bytes.fromhex,
    "builtins.bytearray.fromhex": bytes.fromhex,
    "builtins.reversed": lambda value: list(reversed(value)),
    "builtins.list": list,
    "builtins.tuple": tuple,
    "builtins.range": _range,
    "builtins.sorted": sorted,
    "builtins.zip": lambda *values: list(zip(*values, strict=False)),
    "builtins.enumerate": lambda value: list(enumerate(value)),
    "operator.add": lambda left, right: left + right,
    "operator.concat": lambda left, right: left + right,
    "base64.b64decode": lambda data, *_: base64.b64decode(data),
    "base64.standard_b64decode": base64.standard_b64decode,
    "base64.urlsafe_b64decode": base64.urlsafe_b64decode,
    "base64.decodebytes": base64.decodebytes,
    "base64.b32decode": base64.b32decode,
    "base64.b16decode": base64.b16decode,
    "base64.b85decode": base64.b85decode,
    "base64.a85decode": base64.a85decode,
    "binascii.unhexlify": binascii.unhexlify,
    "binascii.a2b_hex": binascii.a2b_hex,
    "binascii.a2b_base64": binascii.a2b_base64,
    "codecs.decode": _decoded,
    "codecs.encode": lambda data, name="utf8", *_: _decoded(data, name) if name.startswith("rot") else data.encode(),
    "zlib.decompress": lambda data, *_: _inflate(data),
    "gzip.decompress": _inflate,
    "bz2.decompress": lambda data: bz2.BZ2Decompressor().decompress(data, MAX_TEXT),
    "lzma.decompress": lambda data: lzma.LZMADecompressor(memlimit=64 << 20).decompress(data, MAX_TEXT),
    "urllib.parse.unquote": urllib.parse.unquote,
}


def _refuse(*_: Any) -> Any:
    raise ValueError("not an operation that is followed")


def _is_text(value: Value) -> bool:
    return isinstance(value, Partial) or (isinstance(value, Const) and isinstance(value.value, str))


def _is_small(op: ast.operator, left: Any, right: Any) -> bool:
    """Whether the operation's result is bounded before it is computed."""
    if isinstance(op, ast.Pow):
        if isinstance(left, int) and isinstance(right, int):
            return 0 <= right <= MAX_BITS and left.bit_length() * right <= MAX_BITS
        return isinstance(left, (int, float)) and isinstance(right, (int, float))
    if isinstance(op, ast.LShift):
        return isinstance(right, int) and isinstance(left, int) and right + left.bit_length() <= MAX_BITS
    if isinstance(op, ast.Mult):
        for one, other in ((left, right), (right, left)):
            if isinstance(one, (str, bytes, list, tuple)):
                limit = MAX_TEXT if isinstance(one, (str, bytes)) else MAX_ITEMS
                return isinstance(other, int) and len(one) * max(other, 0) <= limit
    if isinstance(op, ast.Mod) and isinstance(left, (str, bytes)):
        text = left if isinstance(left, str) else left.decode("latin-1")
        return _WIDE_FORMAT.search(text) is None
    return True


def _try(function: Callable[..., Any], values: tuple[Any, ...], budget: Budget) -> Value:
    try:
        made = function(*values)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, EOFError, OSError,
            zlib.error, lzma.LZMAError):  # fmt: skip
        return UNKNOWN
    size = _size(made)
    budget.spend(1, size)
    if size > MAX_TEXT or (isinstance(made, int) and made.bit_length() > MAX_BITS):
        return UNKNOWN
    return Const(made)


def _size(made: Any, depth: int = 0) -> int:
    """How large a constant is; nesting beyond a list of lists counts as too large, for sharing can hide its size."""
    if isinstance(made, (str, bytes)):
        return len(made)
    if isinstance(made, (list, tuple)):
        if depth > 2:
            return MAX_TEXT + 1
        return sum(_size(item, depth + 1) for item in made) + 8 * len(made)
    return 1


def _bounded(text: str, budget: Budget) -> str:
    budget.spend(1, len(text))
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT]
