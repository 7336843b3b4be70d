"""A problem, ready to judge: inputs from secret keys, accepted outputs, the check, and the anchor's source."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from problems import checks, inputs, matrices
from problems.inputs import KEY_BYTES, seed_of
from problems.model import Param, ProblemSpec, SpecError
from problems.modules import PackageModules, contestant_files
from problems.results import Answer, CheckResult, OutputForm, TensorSpec, failed, passed
from problems.sizes import shape_of
from problems.spec import read_spec

__all__ = ["CheckResult", "OutputForm", "Problem", "TensorSpec", "load"]

_SHOWN_MESSAGE = 2000
# References import their generators when called; a process that loaded this module has them in memory already.
GENERATORS = (inputs.vector, matrices.matrices)


def load(directory: Path) -> Problem:
    """The problem in `directory`. Runs its ``reference.py``. Raises SpecError, which says what to do."""
    return Problem(directory, read_spec(directory))


class Problem:
    """One problem. Nothing is computed before it is asked for."""

    def __init__(self, directory: Path, spec: ProblemSpec) -> None:
        self.spec = spec
        self._files = contestant_files(directory, spec)
        modules = PackageModules(directory, {**self._files, "reference.py": spec.reference})
        reference = modules.load("reference")
        self._generate = _function(reference, "generate_input")
        self._reference = _function(reference, "ref_kernel")
        self._signature = inspect.signature(self._generate)
        self._check = checks.find(spec.check, spec.check_params) if spec.check else None
        self._legacy = None if self._check else _function(reference, "check_implementation")
        self._inferred: dict[tuple[tuple[str, Param], ...], tuple[OutputForm, bool]] = {}

    def inputs(self, params: dict[str, Param], key: bytes) -> Any:
        """The data of one call, determined by the case and 32 secret bytes.

        A tensor, or tuples, lists and dicts of tensors and scalars. ``generate_input`` is given ``key`` if it takes
        it; in GPU MODE's format it takes ``seed``, and a case's own seed is replaced by a secret one.
        """
        if len(key) != KEY_BYTES:
            raise ValueError(f"a key is {KEY_BYTES} bytes, not {len(key)}")
        arguments: dict[str, Any] = {name: value for name, value in params.items() if name != "seed"}
        accepts = self._signature.parameters
        if "key" in accepts:
            arguments["key"] = key
        if "seed" in accepts or any(p.kind is p.VAR_KEYWORD for p in accepts.values()):
            arguments["seed"] = seed_of(key)
        try:
            self._signature.bind(**arguments)
        except TypeError as error:
            raise SpecError(f"reference.py: generate_input does not fit the case {params}: {error}") from None
        return self._generate(**arguments)

    def forms(self, params: dict[str, Param]) -> tuple[OutputForm, ...]:
        """All accepted forms of the output for a case: declared, or else what the reference returns for it."""
        if self.spec.outputs is None:
            return (self._infer(params)[0],)
        return tuple(
            OutputForm(form.name, tuple(TensorSpec(item.dtype, shape_of(item, params)) for item in form.tensors))
            for form in self.spec.outputs
        )

    def check(
        self,
        params: dict[str, Param],
        data: Any,
        form: OutputForm,
        outputs: tuple[torch.Tensor, ...],
        key: bytes,
        *,
        full: bool,
    ) -> CheckResult:
        """Whether `outputs`, in `form`, answer `data`. `key` (32 bytes, secret) seeds random probes.

        `full` asks for the whole gate; else the cheap one for timed calls, where the check has one.
        Raises whatever the package raises: that is a fault of the problem, not of the contestant.
        """
        answer = Answer(params, data, form, outputs, key, full)
        found = tuple(TensorSpec(str(item.dtype).removeprefix("torch."), tuple(item.shape)) for item in outputs)
        if found != form.tensors:
            expected, got = (", ".join(map(str, items)) for items in (form.tensors, found))
            return failed(answer, math.inf, f"expected {expected}, got {got}", "The output has the wrong shape or type")
        if self._check:
            return self._check(answer, self._expected, self.spec.check_params)
        return self._check_legacy(answer)

    def anchor_source(self) -> str:
        """A submission whose ``custom_kernel`` is the reference."""
        return f"{self.spec.reference.rstrip()}\n\n\ncustom_kernel = ref_kernel\n"

    def contestant_files(self) -> dict[str, str]:
        """Name to text of the files that a submission may import."""
        return dict(self._files)

    def _expected(self, data: Any) -> Any:
        # A reference may write into its inputs; what is checked against must not change.
        return self._reference(copied(data))

    def _infer(self, params: dict[str, Param]) -> tuple[OutputForm, bool]:
        case = tuple(sorted(params.items()))
        if case not in self._inferred:
            value = self._reference(self.inputs(params, bytes(KEY_BYTES)))
            tensors = checks.tensors_of(value)
            found = (TensorSpec(str(item.dtype).removeprefix("torch."), tuple(item.shape)) for item in tensors)
            self._inferred[case] = OutputForm("output", tuple(found)), isinstance(value, torch.Tensor)
        return self._inferred[case]

    def _check_legacy(self, answer: Answer) -> CheckResult:
        assert self._legacy is not None  # noqa: S101 (the constructor made sure)
        single = len(answer.outputs) == 1 and (self.spec.outputs is not None or self._infer(answer.params)[1])
        output = answer.outputs[0] if single else answer.outputs
        verdict = self._legacy(copied(answer.data), output)
        ok, message = verdict if isinstance(verdict, tuple) else (not verdict, verdict)
        if isinstance(verdict, bool):
            ok, message = verdict, ""
        if ok:
            return passed(0.0)
        return failed(answer, math.inf, str(message or "The output is wrong")[:_SHOWN_MESSAGE])


def copied(data: Any) -> Any:
    """`data` with its own copy of every tensor."""
    if isinstance(data, torch.Tensor):
        return data.clone()
    if isinstance(data, dict):
        return {name: copied(item) for name, item in data.items()}
    if isinstance(data, (tuple, list)):
        items = [copied(item) for item in data]
        return type(data)(*items) if hasattr(data, "_fields") else type(data)(items)
    return data


def _function(module: Any, name: str) -> Callable[..., Any]:
    function = getattr(module, name, None)
    if callable(function):
        return function  # type: ignore[no-any-return]
    hint = "; or name a check in task.yml" if name == "check_implementation" else ""
    raise SpecError(f"reference.py: define the function {name}{hint}")
