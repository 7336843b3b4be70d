"""The usual way to judge a submission, as processes: what :mod:`verdict_latency` compares the service with.

``cold_way.py load PROBLEM SUBMISSION`` imports torch and the submission, as the "compile" step of the usual harness
does. ``cold_way.py check PROBLEM SUBMISSION`` runs the problem's test cases in a child that `multiprocessing` spawns,
which imports torch again because spawning imports this module again.
"""

from __future__ import annotations

import copy
import importlib.util
import multiprocessing
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from problems.loader import load

KEY = bytes(range(32))


def kernel_of(path: Path) -> Callable[[Any], Any]:
    """The submission's `custom_kernel`."""
    spec = importlib.util.spec_from_file_location("submission", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel: Callable[[Any], Any] = module.custom_kernel
    return kernel


def check(directory: Path, submission: Path) -> None:
    """Run and check every test case of the problem; exits with status 1 at the first wrong one."""
    problem = load(directory)
    kernel = kernel_of(submission)
    for case in problem.spec.tests:
        data = problem.inputs(dict(case), KEY)
        outputs = kernel(copy.deepcopy(data))
        tensors = outputs if isinstance(outputs, tuple) else (outputs,)
        results = [
            problem.check(dict(case), data, form, tensors, KEY, full=True)
            for form in problem.forms(dict(case))
            if [tuple(t.shape) for t in tensors] == [t.shape for t in form.tensors]
        ]
        if not any(result.ok for result in results):
            sys.exit(1)


def main() -> None:
    """One step of the usual way."""
    step, directory, submission = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    torch.manual_seed(0)
    if step == "load":
        kernel_of(submission)
        return
    child = multiprocessing.get_context("spawn").Process(target=check, args=(directory, submission))
    child.start()
    child.join()
    sys.exit(child.exitcode)


if __name__ == "__main__":
    main()
