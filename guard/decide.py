"""Decides whether a run may rank, from its source and its report, in a process that can be killed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from guard.behaviour import examine
from guard.isolated import Failed, call
from guard.rules import default_rules
from guard.scan import UNREADABLE, Hit, scan, unreadable
from runners.protocol import Report, Verdict

MEMORY_BYTES = 512 << 20


@dataclass(frozen=True)
class Judgement:
    """The guard's decision. Only ``clean`` ranks; ``review`` waits for a person."""

    outcome: str
    reason: str
    hits: tuple[Hit, ...] = ()


def decide(source: str, file_name: str, report: Report) -> Judgement:
    """Any hit that rejects rejects, any for review goes to review, else the run is clean.

    A source that cannot be read does not matter if the run did not pass: there is nothing to keep off the board.
    """
    found = scan(source, file_name)
    if report.verdict is not Verdict.PASSED:
        found = [hit for hit in found if hit.rule != UNREADABLE]
    return judged((*found, *examine(report, found)))


def judged(hits: tuple[Hit, ...]) -> Judgement:
    """What a set of hits means."""
    for effect, outcome in (("reject", "rejected"), ("review", "review")):
        grave = [hit for hit in hits if hit.effect == effect]
        if grave:
            return Judgement(outcome, _reason(grave), hits)
    return Judgement("clean", "Nothing was found that keeps this run off the board.", hits)


def decide_safely(
    source: str,
    file_name: str,
    report: Report,
    *,
    seconds: float = 10.0,
    memory_bytes: int = MEMORY_BYTES,
) -> Judgement:
    """As :func:`decide`, in a forked process with limits. What hangs, crashes or grows too large goes to review."""
    default_rules()
    try:
        answer = call(lambda: _encoded(decide(source, file_name, report)), seconds, memory_bytes)
    except Failed as failure:
        return judged((*examine(report, []), unreadable(failure.reason)))
    return Judgement(answer["outcome"], answer["reason"], tuple(Hit(**hit) for hit in answer["hits"]))


def _encoded(judgement: Judgement) -> dict[str, Any]:
    return asdict(judgement)


def _reason(hits: list[Hit]) -> str:
    messages = list(dict.fromkeys(hit.message for hit in hits))
    more = len(messages) - 1
    return messages[0] + (f" (and {more} more)" if more else "")
