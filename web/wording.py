"""What a submission's page says: your code, our fault, or not ranked, each with what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from runners.protocol import Mode, Verdict
from server.schemas import CaseOut, ConfirmationShown, Outcome, RunOut, Standing, SubmissionOut
from web import numbers

Kind = Literal["waiting", "good", "code", "ours", "unranked"]

KIND_LABELS: dict[Kind, str] = {
    "waiting": "In progress",
    "good": "Done",
    "code": "Your code",
    "ours": "Our fault",
    "unranked": "Not ranked",
}

_LABELS: dict[Outcome, str] = {"ranked": "Ranked", "passed": "Correct, not ranked"}

KINDS: dict[Outcome, Kind] = {
    "queued": "waiting",
    "running": "waiting",
    "judged": "waiting",
    "passed": "good",
    "ranked": "good",
    "wrong": "code",
    "error": "code",
    "timeout": "code",
    "memory": "code",
    "crashed": "code",
    "judge_fault": "ours",
    "cancelled": "unranked",
    "review": "unranked",
    "rejected": "unranked",
}

OUTCOME_LABELS: dict[Outcome, str] = {
    "queued": "queued",
    "running": "running",
    "judged": "with the guard",
    "passed": "passed",
    "ranked": "ranked",
    "wrong": "wrong result",
    "error": "error",
    "timeout": "too slow",
    "memory": "out of memory",
    "crashed": "crashed",
    "judge_fault": "our fault",
    "cancelled": "cancelled",
    "review": "in review",
    "rejected": "rejected",
}

VERDICT_LABELS: dict[Verdict, str] = {
    Verdict.PASSED: "passed",
    Verdict.WRONG: "wrong result",
    Verdict.ERROR: "error",
    Verdict.TIMEOUT: "too slow",
    Verdict.MEMORY: "out of memory",
    Verdict.CRASHED: "crashed",
    Verdict.JUDGE_FAULT: "our fault",
}


@dataclass(frozen=True)
class ConfirmationMark:
    """How a claim to the record is marked, and the same for those who do not see the row it stands in."""

    label: str
    words: str


_AWAITING = ConfirmationMark("awaiting confirmation", "it would be the record, and a fresh run has to agree first")
CONFIRMATION_MARKS: dict[ConfirmationShown, ConfirmationMark] = {
    "queued": _AWAITING,
    "running": _AWAITING,
    "confirmed": ConfirmationMark("confirmed", "a fresh run agreed that it beat the record"),
    "refuted": ConfirmationMark("not confirmed", "a fresh run did not agree that it beat the record"),
}

_HEADLINES: dict[Outcome, str] = {
    "queued": "Waiting for a runner",
    "running": "Being judged",
    "judged": "Judged; the guard is reading it",
    "passed": "Every case passed",
    "ranked": "On the board",
    "wrong": "The result is wrong",
    "error": "It raised an error",
    "timeout": "It took longer than allowed",
    "memory": "It used more memory than allowed",
    "crashed": "The process ended before it answered",
    "judge_fault": "We could not judge it",
    "cancelled": "Cancelled",
    "review": "A person will look at it",
    "rejected": "The guard rejected it",
}

MODE_LINES: dict[Mode, str] = {
    Mode.TEST: "Correctness only: quick, and you see your own output.",
    Mode.BENCHMARK: "Tests, then the public cases timed against the reference. Not ranked.",
    Mode.RANKED: "Tests, then public and hidden cases timed with secret inputs. Output stays hidden. Ranked.",
}


@dataclass(frozen=True)
class VerdictCard:
    """The box that says how a submission stands. `next_step` is empty for those who are not its author."""

    kind: Kind
    label: str
    headline: str
    message: str
    next_step: str


def verdict_card(submission: SubmissionOut, standing: Standing | None, entries: int) -> VerdictCard:
    """How `submission` stands; `standing` is its row on the board, if it is the author's best."""
    kind = KINDS[submission.outcome]
    run = submission.runs[-1] if submission.runs else None
    return VerdictCard(
        kind=kind,
        label=_LABELS.get(submission.outcome, KIND_LABELS[kind]),
        headline=_headline(submission, standing, entries),
        message=_message(submission, run),
        next_step=submission.next_step,
    )


def _headline(submission: SubmissionOut, standing: Standing | None, entries: int) -> str:
    if submission.outcome != "ranked":
        return _HEADLINES[submission.outcome]
    if standing is None:
        return "Correct and clean; a faster submission of the same author ranks"
    ranks = numbers.ranks(standing.rank_low, standing.rank_high)
    return f"Rank {ranks} of {entries}"


def _message(submission: SubmissionOut, run: RunOut | None) -> str:
    if run is None:
        return ""
    if submission.outcome in ("queued", "running") and run.waiting_reason:
        return run.waiting_reason
    return run.message


def first_failure(run: RunOut) -> CaseOut | None:
    """The first case that did not pass."""
    return next((case for case in run.cases if case.status != Verdict.PASSED), None)


def announcement(submission: SubmissionOut, card: VerdictCard, step: str) -> str:
    """One line for people who do not see the page change."""
    if not submission.done:
        return f"Submission {submission.id}: {step}"
    return f"Submission {submission.id} is done. {card.label}: {card.headline}."
