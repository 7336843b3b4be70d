"""Arithmetic on the parameters of a case, for costs and shapes: numbers, names, ``+ - * / // **``, a few functions.

Text comes from problem authors, so it is parsed and walked, never handed to :func:`eval`. Everything is computed in
float64: a tower of powers overflows at once instead of eating memory.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping

Number = int | float
MAX_LENGTH = 400
MAX_DEPTH = 40

_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: math.pow,
}
_FUNCTIONS: dict[str, Callable[..., float]] = {
    "min": min,
    "max": max,
    "log2": math.log2,
    "ceil": lambda value: float(math.ceil(value)),
}


class ExpressionError(ValueError):
    """The text is no expression of this small language, or has no finite value."""


def evaluate(text: str, names: Mapping[str, object]) -> float:
    """The value of `text`, where `names` are the parameters of a case (numbers and booleans count, strings don't).

    Raises ExpressionError, saying what is wrong, for anything but plain arithmetic and for values that are not finite.
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"longer than {MAX_LENGTH} characters")
    try:
        tree = ast.parse(text.strip(), mode="eval")
        value = _value(tree.body, names, 0)
    except ExpressionError:
        raise
    except SyntaxError:
        raise ExpressionError(f"{text!r} is not an expression") from None
    except (ArithmeticError, ValueError, TypeError, RecursionError, MemoryError) as error:
        raise ExpressionError(f"{text!r} has no value: {error}") from None
    if not math.isfinite(value):
        raise ExpressionError(f"{text!r} is not finite")
    return value


def _value(node: ast.expr, names: Mapping[str, object], depth: int) -> float:
    if depth > MAX_DEPTH:
        raise ExpressionError("nested too deeply")
    if isinstance(node, ast.Constant):
        return _number(node.value, "a constant")
    if isinstance(node, ast.Name):
        if node.id not in names:
            raise ExpressionError(f"unknown name {node.id!r}; the case has {', '.join(sorted(names)) or 'none'}")
        return _number(names[node.id], f"parameter {node.id!r}")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        value = _value(node.operand, names, depth + 1)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = (_value(side, names, depth + 1) for side in (node.left, node.right))
        return _BINARY[type(node.op)](left, right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _call(node.func.id, [_value(item, names, depth + 1) for item in node.args])
    raise ExpressionError(
        f"{type(node).__name__} is not allowed: use numbers, parameters, + - * / // ** and {', '.join(_FUNCTIONS)}"
    )


def _call(name: str, arguments: list[float]) -> float:
    if name not in _FUNCTIONS:
        raise ExpressionError(f"unknown function {name!r}; there are {', '.join(_FUNCTIONS)}")
    if name in ("min", "max") and len(arguments) < 2:
        raise ExpressionError(f"{name} needs two or more arguments")
    return float(_FUNCTIONS[name](*arguments))


def _number(value: object, what: str) -> float:
    if not isinstance(value, (int, float)):
        raise ExpressionError(f"{what} is not a number")
    return float(value)
