"""Where a case's inputs and outputs lie on a desk."""

from __future__ import annotations

from typing import Any

import torch

from problems.loader import OutputForm
from runners.contestant.desk import INPUT_BYTES, OUTPUT_BYTES, PAGE, CallLayout, Slot

SCALARS = (bool, int, float, str, type(None))


class LayoutError(Exception):
    """The problem's data cannot be laid on a desk: the problem's fault, never the contestant's."""


def leaves_of(data: Any) -> list[torch.Tensor]:
    """The tensors of nested data, in the order of its skeleton."""
    if isinstance(data, torch.Tensor):
        return [data]
    if isinstance(data, (tuple, list)):
        return [leaf for item in data for leaf in leaves_of(item)]
    if isinstance(data, dict):
        return [leaf for item in data.values() for leaf in leaves_of(item)]
    return []


def skeleton_of(data: Any) -> dict[str, Any]:
    """Nested tuples, lists, dicts, scalars and tensors as JSON, each tensor by its place among the leaves."""
    counter = iter(range(1 << 30))

    def describe(value: Any) -> dict[str, Any]:
        if isinstance(value, torch.Tensor):
            return {"kind": "tensor", "value": next(counter)}
        if isinstance(value, (tuple, list)):
            kind = "tuple" if isinstance(value, tuple) else "list"
            return {"kind": kind, "value": [describe(item) for item in value]}
        if isinstance(value, dict):
            return {"kind": "dict", "value": {str(key): describe(item) for key, item in value.items()}}
        if isinstance(value, SCALARS):
            return {"kind": "scalar", "value": value}
        raise LayoutError(f"inputs of type {type(value).__name__} cannot be handed to a contestant")

    return describe(data)


def dtype_name(tensor: torch.Tensor) -> str:
    """`float32` for torch.float32."""
    return str(tensor.dtype).removeprefix("torch.")


def plan_layout(data: Any, forms: tuple[OutputForm, ...], calls: int) -> CallLayout:
    """Lay `calls` calls of data like this one side by side, every tensor on pages of its own.

    Raises LayoutError where they do not fit.
    """
    inputs, input_stride = _place([(dtype_name(leaf), tuple(leaf.shape), leaf.nbytes) for leaf in leaves_of(data)])
    placed = [_place([(spec.dtype, spec.shape, spec.nbytes) for spec in form.tensors]) for form in forms]
    layout = CallLayout(
        calls=calls,
        skeleton=skeleton_of(data),
        inputs=inputs,
        forms=tuple(slots for slots, _ in placed),
        input_stride=input_stride,
        output_stride=max(stride for _, stride in placed),
    )
    if calls * layout.input_stride > INPUT_BYTES or calls * layout.output_stride > OUTPUT_BYTES:
        raise LayoutError(
            f"the inputs of {calls} calls take {calls * layout.input_stride} bytes, their outputs "
            f"{calls * layout.output_stride}; a desk holds {INPUT_BYTES} and {OUTPUT_BYTES}"
        )
    return layout


def _place(tensors: list[tuple[str, tuple[int, ...], int]]) -> tuple[tuple[Slot, ...], int]:
    slots, offset = [], 0
    for dtype, shape, size in tensors:
        slots.append(Slot(dtype, shape, offset))
        offset += -(-max(size, 1) // PAGE) * PAGE
    return tuple(slots), offset
