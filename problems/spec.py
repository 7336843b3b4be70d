"""What a problem says about itself: GPU MODE's ``task.yml`` as it is, and a few optional keys of ours.

Imports neither torch nor anything of the judge, so that the server can read problems.
"""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from problems.expressions import ExpressionError, evaluate

Param = int | float | str | bool
HiddenValue = Param | tuple[int, int] | tuple[Param, ...]
SUBMISSION = "@SUBMISSION@"
_HIDDEN_TRIES = 1000


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
    limits: dict[str, Param]
    starters: dict[str, str]
    reference: str


def read_spec(directory: Path, slug: str | None = None) -> ProblemSpec:
    """The problem in `directory`. `slug` defaults to the last two parts of the path, e.g. ``basics/vector_mean``.

    Raises SpecError, which names the key and says what to do.
    """
    from problems.reading import read

    return read(directory, slug)


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


def resolve_hidden(spec: ProblemSpec, secret: bytes) -> list[dict[str, Param]]:
    """The hidden timed cases that `secret` determines; none equals a public case or another hidden one.

    Raises SpecError where the ranges leave no such case.
    """
    taken: list[dict[str, Param]] = [*spec.tests, *spec.benchmarks]
    cases: list[dict[str, Param]] = []
    for index, hidden in enumerate(spec.hidden):
        case = _draw_new(hidden, secret, index, taken)
        taken.append(case)
        cases.append(case)
    return cases


def _draw_new(hidden: HiddenSpec, secret: bytes, index: int, taken: list[dict[str, Param]]) -> dict[str, Param]:
    for attempt in range(_HIDDEN_TRIES):
        case = {name: _draw(value, secret, f"hidden/{index}/{attempt}/{name}") for name, value in hidden.params.items()}
        if case not in taken:
            return case
    raise SpecError(f"task.yml: hidden[{index}]: every case it allows is public or drawn already; widen a range")


def _draw(value: HiddenValue, secret: bytes, label: str) -> Param:
    if not isinstance(value, tuple):
        return value
    # 256 bits: the bias of the remainder is far below one in 2**128.
    number = int.from_bytes(hmac.new(secret, label.encode(), hashlib.sha256).digest(), "big")
    if is_range(value):
        low, high = value
        return int(low) + number % (int(high) - int(low) + 1)
    return value[number % len(value)]


def is_range(value: tuple[Param, ...]) -> bool:
    """Whether a hidden value is a range of integers, as opposed to a choice."""
    return len(value) == 2 and all(isinstance(end, int) and not isinstance(end, bool) for end in value)


def library() -> dict[str, Path]:
    """The problems that come with KernelCup: slug (``basics/vector_mean``) to folder."""
    root = Path(__file__).parent / "library"
    return {path.parent.relative_to(root).as_posix(): path.parent for path in sorted(root.glob("*/*/task.yml"))}


def to_json(spec: ProblemSpec) -> dict[str, Any]:
    """`spec` as JSON-ready values; :func:`from_json` reads them."""
    return {name: _plain(value) for name, value in dataclasses.asdict(spec).items()}


def from_json(value: dict[str, Any]) -> ProblemSpec:
    """The spec that :func:`to_json` wrote. Raises SpecError for unknown or missing fields."""
    fields = dict(value)
    try:
        for name in ("tests", "benchmarks", "gpus", "libraries", "devices", "allow"):
            fields[name] = tuple(fields[name])
        fields["hidden"] = tuple(
            HiddenSpec({key: tuple(item) if isinstance(item, list) else item for key, item in entry["params"].items()})
            for entry in fields["hidden"]
        )
        if fields["outputs"] is not None:
            fields["outputs"] = tuple(_output_spec(entry) for entry in fields["outputs"])
        return ProblemSpec(**fields)
    except (KeyError, TypeError, AttributeError) as error:
        raise SpecError(f"not a problem as to_json writes it: {error}") from None


def _output_spec(entry: dict[str, Any]) -> OutputSpec:
    tensors = (OutputTensor(item["dtype"], tuple(item["shape"])) for item in entry["tensors"])
    return OutputSpec(entry["name"], tuple(tensors))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
