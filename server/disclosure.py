"""What of a report its author may see: everything except what would give hidden cases away, and our own faults.

Of a hidden case the family, the times and one digit of the error are shown; its sizes, values and position in the data
are not, nor its floor, which is the size in another unit. A message about a hidden case is the problem's own words only
for a wrong answer; whatever a contestant raised or printed while it held a hidden input could spell that input out.
"""

from __future__ import annotations

from dataclasses import replace

from runners.protocol import CaseResult, Report, Stage, Verdict

HIDDEN_WORDS = {
    Verdict.PASSED: "",
    Verdict.ERROR: "The kernel raised an exception in a hidden case.",
    Verdict.TIMEOUT: "The kernel took too long in a hidden case.",
    Verdict.MEMORY: "The kernel ran out of memory in a hidden case.",
    Verdict.CRASHED: "The kernel's process died in a hidden case.",
    Verdict.JUDGE_FAULT: "The judge failed in a hidden case.",
}


def family_of(label: str) -> str:
    """The family that a case label (``n: 1024; family: spike``) names, as a label; ``hidden`` if it names none."""
    for part in label.split(";"):
        name, separator, value = part.partition(":")
        if separator and name.strip() == "family":
            return f"family: {value.strip()}"
    return "hidden"


def case_for_author(case: CaseResult) -> CaseResult:
    """`case` without what must stay hidden."""
    # A kernel that has met hidden shapes could spell them in the error of any timed case that it fails.
    error = one_digit(case.error) if case.hidden or case.stage == Stage.TIME else case.error
    if not case.hidden:
        return replace(case, error=error)
    message = case.message if case.status == Verdict.WRONG else HIDDEN_WORDS[case.status]
    timing = replace(case.timing, floor_seconds=None) if case.timing else None
    return replace(case, label=family_of(case.label), message=without(message, case.label), error=error, timing=timing)


def one_digit(error: float | None) -> float | None:
    """`error` rounded to one significant digit."""
    return float(f"{error:.0e}") if error is not None else None


def without(message: str, label: str) -> str:
    """`message` with the hidden case's `label` replaced by its family."""
    return message.replace(label, family_of(label)) if label else message


def message_for_author(report: Report) -> str:
    """The report's message, in our words where the first failure is in a hidden case."""
    failed = next((case for case in report.cases if case.status != Verdict.PASSED), None)
    if failed is None or not failed.hidden or report.verdict == Verdict.PASSED:
        return report.message
    if report.verdict == Verdict.WRONG:
        return without(report.message, failed.label)
    return HIDDEN_WORDS[report.verdict]


def report_for_author(report: Report) -> Report:
    """`report` as its author may read it."""
    return replace(
        report,
        message=message_for_author(report),
        cases=tuple(case_for_author(case) for case in report.cases),
        detail="",
    )
