"""Runs a submission's kernel in this process, as the judge's shim hands data over, and checks what comes back."""

import inspect
from pathlib import Path
from typing import Any

import torch

from problems.loader import CheckResult, OutputForm, Problem, copied
from problems.results import TensorSpec


def kernel_of(source: str, path: Path | None = None) -> Any:
    scope: dict[str, Any] = {"__name__": "submission", "__file__": str(path)}
    exec(compile(source, str(path or "submission.py"), "exec"), scope)
    return scope["custom_kernel"]


def judge(problem: Problem, kernel: Any, params: dict[str, Any], key: bytes, *, full: bool = True) -> CheckResult:
    data = problem.inputs(params, key)
    forms = problem.forms(params)
    given = copied(data)
    if "out" in inspect.signature(kernel).parameters:
        buffers = tuple(
            torch.full(tensor.shape, float("nan"), dtype=getattr(torch, tensor.dtype)) for tensor in forms[0].tensors
        )
        kernel(given, out=buffers[0] if len(buffers) == 1 else buffers)
        return problem.check(params, data, forms[0], buffers, key, full=full)
    result = kernel(given)
    outputs = tuple(part.contiguous() for part in (result if isinstance(result, (tuple, list)) else (result,)))
    return problem.check(params, data, form_of(forms, outputs), outputs, key, full=full)


def form_of(forms: tuple[OutputForm, ...], outputs: tuple[torch.Tensor, ...]) -> OutputForm:
    found = tuple(TensorSpec(str(item.dtype).removeprefix("torch."), tuple(item.shape)) for item in outputs)
    return next((form for form in forms if form.tensors == found), forms[0])
