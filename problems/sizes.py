"""What follows from a case's parameters: the least work it takes, and the shapes of its outputs."""

from __future__ import annotations

import math

from problems.expressions import ExpressionError, evaluate
from problems.model import OutputTensor, Param, ProblemSpec, SpecError

MAX_SHAPE = 2**40


def cost_of(spec: ProblemSpec, params: dict[str, Param]) -> tuple[float | None, float | None]:
    """The least floating-point operations and bytes that a case takes, None where the problem does not say.

    Raises SpecError if an expression has no value for these parameters.
    """
    return _cost(spec.flops, "flops", params), _cost(spec.bytes, "bytes", params)


def _cost(text: str | None, key: str, params: dict[str, Param]) -> float | None:
    if text is None:
        return None
    try:
        value = evaluate(text, params)
    except ExpressionError as error:
        raise SpecError(f"task.yml: cost.{key}: {error}") from None
    if value < 0:
        raise SpecError(f"task.yml: cost.{key}: {text!r} is negative for {params}")
    return value


def shape_of(tensor: OutputTensor, params: dict[str, Param]) -> tuple[int, ...]:
    """The sizes of a declared output for a case. Raises SpecError unless all are whole and not negative."""
    shape = []
    for size in tensor.shape:
        try:
            value = evaluate(str(size), params)
        except ExpressionError as error:
            raise SpecError(f"task.yml: outputs: shape: {error}") from None
        if value != math.floor(value) or not 0 <= value <= MAX_SHAPE:
            raise SpecError(f"task.yml: outputs: shape: {size!r} is {value:g} for {params}; expected a whole number")
        shape.append(int(value))
    return tuple(shape)
