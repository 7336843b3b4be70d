"""What an author is told: the outcome of a submission in one word, and what to do next in one sentence."""

from __future__ import annotations

from collections.abc import Iterable

from problems.requirements import Requirements
from runners.protocol import Mode, Verdict
from server.models import DecisionOutcome, Run, RunState
from server.schemas import ConfirmationShown, Outcome

NEXT_STEPS: dict[Outcome, str] = {
    "queued": "Wait: it starts by itself. You can cancel it without cost.",
    "running": "Wait: it is being judged.",
    "judged": "Wait a moment: the guard is reading it.",
    "cancelled": "Submit again when you are ready.",
    "passed": "It is correct. Submit it as ranked to enter the board.",
    "ranked": "It is on the board. A faster kernel replaces it.",
    "review": "A person will look at it before it can rank. You need do nothing.",
    "rejected": "It broke a rule: read the findings, mend the kernel and submit again.",
    "wrong": "Read which case failed, mend the kernel and submit again.",
    "error": "Read the error, mend the kernel and submit again.",
    "timeout": "It took too long: make it faster, or build less, and submit again.",
    "memory": "It used too much memory: use less and submit again.",
    "crashed": "Its process died: look for bad memory accesses or signals, and submit again.",
    "judge_fault": "This was our fault and costs you nothing: submit again later.",
}
UNRANKED_FINDINGS = {
    DecisionOutcome.REJECTED: "It is correct, but as ranked it would be rejected: read the findings and mend it first.",
    DecisionOutcome.REVIEW: "It is correct. As ranked it would wait for a person's review: read the findings.",
}

AWAITING = (
    "It would be the record. A fresh run of the same source must agree first: it starts by itself and costs nothing."
)
CONFIRMATION_STEPS: dict[ConfirmationShown, str] = {
    "queued": AWAITING,
    "running": AWAITING,
    "confirmed": "A fresh run confirmed it against the record. A faster kernel replaces it.",
    "refuted": "A fresh run did not confirm it as the record, so the fresh run counts. A faster kernel replaces it.",
}


def lacking_in_words(device: str, lacking: Iterable[str], requires: Requirements) -> str:
    """Why a run waits although runners are there: what its board demands and none of them offers."""
    demands = ", ".join(f"{name.replace('_', ' ')}: {' or '.join(requires[name])}" for name in lacking)
    return (
        f"No runner for {device} that is connected offers what this board demands of its host ({demands}). "
        "Your submission is kept and starts by itself when one is."
    )


def outcome_of(run: Run) -> Outcome:
    """A run in one word."""
    if run.state == RunState.CANCELLED:
        return "cancelled"
    if run.state == RunState.QUEUED:
        return "queued"
    if run.state in (RunState.DISPATCHED, RunState.RUNNING):
        return "running"
    if run.verdict is None:
        return "judged"
    if run.verdict != Verdict.PASSED:
        return _VERDICT_OUTCOMES[run.verdict]
    if run.mode != Mode.RANKED:
        return "passed"
    if run.decision is None:
        return "judged"
    return _DECISION_OUTCOMES[run.decision]


_VERDICT_OUTCOMES: dict[Verdict, Outcome] = {
    Verdict.WRONG: "wrong",
    Verdict.ERROR: "error",
    Verdict.TIMEOUT: "timeout",
    Verdict.MEMORY: "memory",
    Verdict.CRASHED: "crashed",
    Verdict.JUDGE_FAULT: "judge_fault",
}
_DECISION_OUTCOMES: dict[DecisionOutcome, Outcome] = {
    DecisionOutcome.CLEAN: "ranked",
    DecisionOutcome.REVIEW: "review",
    DecisionOutcome.REJECTED: "rejected",
}


def next_step_of(run: Run, confirmation: ConfirmationShown) -> str:
    """What the author can do about a run now; `confirmation` is how its claim to the record stands."""
    outcome = outcome_of(run)
    if outcome == "passed" and run.decision in UNRANKED_FINDINGS:
        return UNRANKED_FINDINGS[run.decision]
    if outcome == "ranked" and confirmation in CONFIRMATION_STEPS:
        return CONFIRMATION_STEPS[confirmation]
    return NEXT_STEPS[outcome]
