"""Reading what a contestant left on its desk: hostile bytes, of which only this module makes anything."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass

import torch

from runners.contestant.desk import FORM, STATUS, STATUS_OK
from runners.judge.desk import JudgeDesk
from runners.protocol import Stage, Violation

MAX_TEXT = 12_000
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

CLAIMS = frozenset(
    ("syntax", "import", "no_kernel", "not_callable", "none", "not_a_tensor", "form", "memory", "exit", "exception")
)
"""The failures that a contestant may claim of itself. What only the judge can know (a signal, a timeout, dishonesty)
is not among them: nobody makes a fault of ours by claiming one."""


class Failed(Exception):
    """The party failed, by its own doing. `kind` says how; `detail` is its own text and is not to be trusted."""

    def __init__(self, kind: str, detail: str = "", error_type: str = "") -> None:
        super().__init__(detail or kind)
        self.kind = kind
        self.detail = detail
        self.error_type = error_type


class Dishonest(Failed):
    """The party did what no honest kernel does. `kind` is a kind of :class:`runners.protocol.Violation`."""


def violations_of(failure: Failed | None, stage: Stage) -> tuple[Violation, ...]:
    """What a failure shows that no honest kernel does."""
    if isinstance(failure, Dishonest):
        return (Violation(failure.kind, stage, failure.detail),)
    if failure is not None and failure.kind == "signal" and failure.detail == str(int(signal.SIGSYS)):
        return (Violation("forbidden_call", stage, "ended by the system-call filter"),)
    return ()


class Suspicious(Exception):
    """A sample that shows dishonesty, or a busy host: a core taken away by the hypervisor in the wrong microsecond
    looks the same, once. Such a sample is void; only a party that makes them again and again is dishonest."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail


@dataclass(frozen=True)
class Answer:
    """What one call gave: the form it claims, and copies of its outputs."""

    form: int
    outputs: tuple[torch.Tensor, ...]


def raise_if_failed(desk: JudgeDesk) -> None:
    """Raise Failed if the contestant says that its last command or call failed."""
    if desk.words[STATUS] == STATUS_OK:
        return
    message = desk.message()
    kind = message.get("kind", "")
    raise Failed(
        kind if kind in CLAIMS else "exception",
        storable(message.get("text", ""))[-MAX_TEXT:],
        storable(message.get("type", ""))[:100],
    )


def read_answer(desk: JudgeDesk, call: int) -> Answer:
    """One call's answer; a form that does not exist is taken for the first."""
    claimed = int(desk.words[FORM])
    form = claimed if claimed < len(desk.layout.forms) else 0
    return Answer(form, desk.read_outputs(call, form))


def storable(text: str) -> str:
    """`text` as any database and terminal takes it: no lone surrogates, no control characters but tab and newline."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text.encode("utf-8", "replace").decode("utf-8"))
