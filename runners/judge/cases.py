"""The cases of a run: their parameters, their secret inputs, their floor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from problems.loader import CheckResult, OutputForm, Problem
from problems.spec import cost_of
from runners.judge.floor import Peaks as Peaks
from runners.judge.floor import least_seconds
from runners.judge.keys import call_key
from runners.protocol import CaseSpec, Stage

_HIDDEN_BASE = 1_000_000
_TIMED_BASE = 1_000


@dataclass(frozen=True)
class JudgeCase:
    """One case in one stage. All its values derive from the run's nonce."""

    problem: Problem
    spec: CaseSpec
    stage: Stage
    nonce: bytes

    @property
    def public_label(self) -> str:
        """What the author may read: of a hidden case only its family."""
        if not self.spec.hidden:
            return self.spec.label
        family = self.spec.params.get("family")
        return f"family: {family}" if family is not None else "hidden"

    @property
    def where(self) -> str:
        """The case in words, for messages."""
        kind = "hidden case" if self.spec.hidden else "test case" if self.stage is Stage.TEST else "timed case"
        return f"{kind} {self.spec.index + 1} ({self.public_label})"

    def inputs(self, call: int) -> Any:
        """The inputs of one call."""
        return self.problem.inputs(self.spec.params, self._key("input", call))

    def junk(self, key: bytes) -> Any:
        """Inputs of this shape with values of no worth, for the build stage."""
        return self.problem.inputs(self.spec.params, key)

    def forms(self) -> tuple[OutputForm, ...]:
        """The forms of output that are accepted."""
        return self.problem.forms(self.spec.params)

    def check(self, data: Any, form: int, outputs: tuple[torch.Tensor, ...], call: int, full: bool) -> CheckResult:
        """Check one call's outputs against the judge's own copy of its inputs."""
        key = self._key("check", call)
        return self.problem.check(self.spec.params, data, self.forms()[form], outputs, key, full=full)

    def floor_seconds(self, peaks: Peaks | None) -> float | None:
        """The least time physics allows for one call, see :mod:`runners.judge.floor`; None if that isn't known."""
        if peaks is None:
            return None
        flops, moved = cost_of(self.problem.spec, self.spec.params)
        written = min((sum(tensor.nbytes for tensor in form.tensors) for form in self.forms()), default=0)
        return least_seconds(peaks, flops, moved, written)

    def _key(self, purpose: str, call: int) -> bytes:
        base = _HIDDEN_BASE if self.spec.hidden else _TIMED_BASE if self.stage is Stage.TIME else 0
        return call_key(self.nonce, purpose, base + self.spec.index, call)


def test_cases(problem: Problem, nonce: bytes) -> list[JudgeCase]:
    """The problem's tests."""
    return [
        JudgeCase(problem, CaseSpec(index, dict(params)), Stage.TEST, nonce)
        for index, params in enumerate(problem.spec.tests)
    ]


def timed_cases(problem: Problem, hidden: tuple[CaseSpec, ...], nonce: bytes) -> list[JudgeCase]:
    """The problem's public timed cases, then the board's hidden ones."""
    public = [CaseSpec(index, dict(params)) for index, params in enumerate(problem.spec.benchmarks)]
    return [JudgeCase(problem, spec, Stage.TIME, nonce) for spec in (*public, *hidden)]
