"""Revealing a sample's inputs one by one: input i+1 comes into being once output i has been copied out.

For kernels that are short for a sample but long beside their copies. All copies are on the clock, so they must cost
little; where they cost more, a contestant could compute along with them, and the inputs are revealed together instead.
"""

from __future__ import annotations

import ctypes
import time
from typing import Any

import torch

from runners.contestant.desk import FORM, REQUEST
from runners.contestant.tensors import DTYPES, tensor_at
from runners.judge.answers import Answer
from runners.judge.desk import POISON, JudgeDesk
from runners.judge.layout import leaves_of

MAX_COPY_SECONDS = 5e-6
MAX_COPY_SHARE = 0.01
_REHEARSALS = 64


class OneByOne:
    """The copies of one sample, prepared so that each step between two calls is a few memory moves."""

    def __init__(self, desk: JudgeDesk, calls: list[Any]) -> None:
        layout = desk.layout
        self._desk = desk
        self._held = [[leaf.contiguous() for leaf in leaves_of(data)] for data in calls]
        base = desk.base + layout.input_base(0)
        self._moves = [
            [(base + slot.offset, leaf.data_ptr(), leaf.nbytes) for slot, leaf in zip(layout.inputs, held, strict=True)]
            for held in self._held
        ]
        self._output = desk.base + layout.output_base(0)
        self._span = max(
            slot.offset + DTYPES[slot.dtype].itemsize * max(1, torch.Size(slot.shape).numel())
            for form in layout.forms
            for slot in form
        )
        self._kept = torch.empty(len(calls), self._span, dtype=torch.uint8)
        self._forms = [0] * len(calls)

    @property
    def calls(self) -> int:
        """How many calls the sample holds."""
        return len(self._moves)

    def step(self, call: int, request: int) -> None:
        """Copy the output of call - 1 out, poison its place, put the inputs of `call` in, and raise the flag."""
        self.keep(call - 1)
        ctypes.memset(self._output, POISON, self._span)
        for target, source, size in self._moves[call]:
            ctypes.memmove(target, source, size)
        self._desk.words[REQUEST] = request

    def keep(self, call: int) -> None:
        """Copy the output of `call` out."""
        ctypes.memmove(self._kept.data_ptr() + call * self._span, self._output, self._span)
        self._forms[call] = self._desk.words[FORM]

    def answers(self) -> tuple[Answer, ...]:
        """The answers of all calls, from the judge's own copies."""
        forms = self._desk.layout.forms
        answers = []
        for call, claimed in enumerate(self._forms):
            form = claimed if claimed < len(forms) else 0
            address = self._kept.data_ptr() + call * self._span
            answers.append(Answer(form, tuple(tensor_at(address, slot).clone() for slot in forms[form])))
        return tuple(answers)


def cheap_enough(desk: JudgeDesk, data: Any, call_seconds: float) -> bool:
    """Whether the copies between two calls cost so little that they give nothing away. Rehearsed on the desk while
    its contestant is stopped; the inputs there are of no worth."""
    rehearsal = OneByOne(desk, [data, data])
    request = desk.words[REQUEST]
    best = float("inf")
    for _ in range(_REHEARSALS):
        begin = time.perf_counter()
        rehearsal.step(1, request)
        best = min(best, time.perf_counter() - begin)
    return best < min(MAX_COPY_SECONDS, MAX_COPY_SHARE * call_seconds)
