"""One line of a check-up."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Status(enum.StrEnum):
    """How good something is. Weak: it works, with less isolation or more noise. Missing: something cannot be done."""

    OK = "ok"
    WEAK = "weak"
    MISSING = "missing"


@dataclass(frozen=True)
class Line:
    """What was found, and, unless it is fine, what to do about it."""

    topic: str
    name: str
    status: Status
    found: str
    advice: str = ""


def line(topic: str, name: str, found: str, advice: str, *, good: bool, otherwise: Status = Status.WEAK) -> Line:
    """A line that is ok and needs no advice if `good`, else `otherwise`."""
    return Line(topic, name, Status.OK, found) if good else Line(topic, name, otherwise, found, advice)
