"""What a problem and a judge tell each other: which outputs are accepted, and how a check went."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch

from problems.model import Param


@dataclass(frozen=True)
class TensorSpec:
    """Data type (torch's name, ``float32``) and shape of one tensor."""

    dtype: str
    shape: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """Bytes that the values take."""
        dtype: torch.dtype = getattr(torch, self.dtype)
        return math.prod(self.shape) * dtype.itemsize

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True)
class OutputForm:
    """One accepted way to return the answer."""

    name: str
    tensors: tuple[TensorSpec, ...]


@dataclass(frozen=True)
class CheckResult:
    """How a check went.

    `error` is the measured error divided by its limit, infinite if the output is not finite. `message` says what is
    wrong and where; `family_message` is for hidden cases and holds no value and no index.
    """

    ok: bool
    error: float
    message: str
    family_message: str


@dataclass(frozen=True)
class Answer:
    """What a check looks at: a case, the judge's own copy of its inputs, and what came back."""

    params: dict[str, Param]
    data: Any
    form: OutputForm
    outputs: tuple[torch.Tensor, ...]
    key: bytes
    full: bool


def passed(error: float) -> CheckResult:
    """The output is right; `error` is at most 1."""
    return CheckResult(True, error, "", "")


def failed(answer: Answer, error: float, message: str, kind: str = "The output is wrong") -> CheckResult:
    """The output is wrong. `kind` says so without values, for hidden cases; there the error has one digit, since a
    kernel that makes its error could spell a hidden shape in more."""
    family = answer.params.get("family")
    where = f" for the family {family!r}" if isinstance(family, str) else ""
    by = f": the error is about {error:.0e} times the limit" if math.isfinite(error) and error > 0 else ""
    return CheckResult(False, error, message, f"{kind}{where}{by}.")
