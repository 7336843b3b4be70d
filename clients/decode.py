"""JSON to the dataclasses of `clients.results`, and back.

Lenient where a newer or older service may differ: unknown fields are ignored, fields that are missing or null
take their default. Strict where a value would mean something else: a word where a number belongs is refused.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import types
import typing
from datetime import datetime
from typing import Any, TypeVar

T = TypeVar("T")


class DecodeError(ValueError):
    """A value does not have the form that a result needs; the message names the field."""


def decode(kind: type[T], value: Any) -> T:
    """`value`, as parsed from JSON, as a `kind`; raises DecodeError."""
    return typing.cast(T, _decode(kind, value, getattr(kind, "__name__", str(kind))))


def to_json(result: Any) -> Any:
    """A result as JSON-ready values: times as ISO 8601, numbers that are not finite as null."""
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        return {item.name: to_json(getattr(result, item.name)) for item in dataclasses.fields(result)}
    if isinstance(result, datetime):
        return result.isoformat()
    if isinstance(result, float) and not math.isfinite(result):
        return None
    if isinstance(result, dict):
        return {key: to_json(value) for key, value in result.items()}
    if isinstance(result, (list, tuple)):
        return [to_json(value) for value in result]
    return result


@functools.cache
def _fields_of(kind: Any) -> tuple[tuple[str, Any, bool], ...]:
    hints = typing.get_type_hints(kind)
    return tuple(
        (
            item.name,
            hints[item.name],
            item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING,
        )
        for item in dataclasses.fields(kind)
    )


def _decode(kind: Any, value: Any, where: str) -> Any:
    if kind is Any:
        return value
    if dataclasses.is_dataclass(kind):
        return _decode_dataclass(kind, value, where)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return _decode_union(arguments, value, where)
    if origin is tuple:
        return tuple(_decode(arguments[0], item, f"{where}[{n}]") for n, item in enumerate(_expect(list, value, where)))
    if origin is dict:
        return {key: _decode(arguments[1], item, f"{where}.{key}") for key, item in _expect(dict, value, where).items()}
    return _decode_scalar(kind, value, where)


def _decode_dataclass(kind: Any, value: Any, where: str) -> Any:
    given = _expect(dict, value, where)
    values: dict[str, Any] = {}
    for name, hint, required in _fields_of(kind):
        if given.get(name) is not None:
            values[name] = _decode(hint, given[name], f"{where}.{name}")
        elif required:
            raise DecodeError(f"{where}: no {name!r}")
    return kind(**values)


def _decode_union(arguments: tuple[Any, ...], value: Any, where: str) -> Any:
    if value is None and types.NoneType in arguments:
        return None
    for option in arguments:
        if type(value) is option:
            return value
    for option in arguments:
        if option is not types.NoneType:
            try:
                return _decode(option, value, where)
            except DecodeError:
                continue
    raise DecodeError(f"{where}: unexpected {type(value).__name__}")


def _decode_scalar(kind: Any, value: Any, where: str) -> Any:
    if kind is datetime:
        try:
            return datetime.fromisoformat(_expect(str, value, where))
        except ValueError as error:
            raise DecodeError(f"{where}: {error}") from None
    if kind is float and type(value) is int:
        return float(value)
    return _expect(kind, value, where)


def _expect(kind: Any, value: Any, where: str) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise DecodeError(f"{where}: expected {kind.__name__}, not {type(value).__name__}")
    return value
