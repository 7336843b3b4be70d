"""The words of the problem format: what a problem says about itself, once it is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Param = int | float | str | bool
LimitValue = Param | dict[str, list[str]]
HiddenValue = Param | tuple[int, int] | tuple[Param, ...]
SUBMISSION = "@SUBMISSION@"


class SpecError(ValueError):
    """A problem package is not as it should be. The message names the file, the key, and what to do."""


@dataclass(frozen=True)
class HiddenSpec:
    """How to draw one hidden timed case: a tuple of two integers is a range with both ends, any other a choice."""

    params: dict[str, HiddenValue]


@dataclass(frozen=True)
class OutputTensor:
    """A declared output tensor; sizes are numbers or expressions of the case's parameters."""

    dtype: str
    shape: tuple[int | str, ...]


@dataclass(frozen=True)
class OutputSpec:
    """One way to return the answer. A problem may accept several; they are told apart by their shapes."""

    name: str
    tensors: tuple[OutputTensor, ...]


@dataclass(frozen=True)
class ProblemSpec:
    """A problem, read from its folder. Timeouts are seconds, `statement` is Markdown, `reference` is source.

    `flops` and `bytes` are expressions of a case's parameters for the least work it takes, see :func:`cost_of`.
    """

    slug: str
    title: str
    summary: str
    statement: str
    lang: str
    description: str
    files: dict[str, str]
    main: str
    config: dict[str, Any]
    tests: tuple[dict[str, Param], ...]
    benchmarks: tuple[dict[str, Param], ...]
    hidden: tuple[HiddenSpec, ...]
    test_timeout: float
    benchmark_timeout: float
    ranked_timeout: float
    ranking_by: str
    seed: int | None
    multi_gpu: bool
    world_size: int
    templates: dict[str, str]
    gpus: tuple[str, ...]
    libraries: tuple[str, ...]
    flops: str | None
    bytes: str | None
    check: str | None
    check_params: dict[str, Param]
    outputs: tuple[OutputSpec, ...] | None
    devices: tuple[str, ...]
    allow: tuple[str, ...]
    limits: dict[str, LimitValue]
    starters: dict[str, str]
    reference: str
