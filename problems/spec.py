"""Problems: GPU MODE's ``task.yml`` as it is, and a few optional keys of ours, read from a folder or from JSON.

Imports neither torch nor anything of the judge, so that the server can read problems.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from problems.hidden import resolve_hidden
from problems.model import SUBMISSION, HiddenSpec, OutputSpec, OutputTensor, Param, ProblemSpec, SpecError
from problems.reading import read_spec
from problems.sizes import cost_of

__all__ = [
    "SUBMISSION",
    "HiddenSpec",
    "OutputSpec",
    "OutputTensor",
    "Param",
    "ProblemSpec",
    "SpecError",
    "cost_of",
    "from_json",
    "library",
    "read_spec",
    "resolve_hidden",
    "to_json",
]


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
