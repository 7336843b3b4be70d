"""Tensors over a mapped desk."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import torch

from runners.contestant.desk import Slot

DTYPES: dict[str, torch.dtype] = {
    name: getattr(torch, name)
    for name in (
        "float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool",
        "complex64", "complex128", "float8_e4m3fn", "float8_e5m2",
    )
}  # fmt: skip


def tensor_at(address: int, slot: Slot) -> torch.Tensor:
    """The tensor that lies at `address` + the slot's offset; it does not own its memory."""
    dtype = DTYPES[slot.dtype]
    count = math.prod(slot.shape)
    if count == 0:
        return torch.empty(slot.shape, dtype=dtype)
    raw = (ctypes.c_char * (count * dtype.itemsize)).from_address(address + slot.offset)
    return torch.frombuffer(raw, dtype=dtype).view(slot.shape)


def fill_skeleton(skeleton: Any, leaves: list[torch.Tensor]) -> Any:
    """Rebuild nested data from its skeleton and its tensors. See :func:`runners.judge.layout.skeleton_of`."""
    kind, value = skeleton["kind"], skeleton["value"]
    if kind == "tensor":
        return leaves[value]
    if kind == "tuple":
        return tuple(fill_skeleton(item, leaves) for item in value)
    if kind == "list":
        return [fill_skeleton(item, leaves) for item in value]
    if kind == "dict":
        return {key: fill_skeleton(item, leaves) for key, item in value.items()}
    return value
