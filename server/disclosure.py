"""What of a report its author may see: everything except what would give hidden cases away, and our own faults.

Of a hidden case the family and the error are shown; its sizes, values and position in the data are not. A message
about a hidden case is the problem's own words only for a wrong answer; whatever a contestant raised or printed while it
held a hidden input could spell that input out.
"""

from __future__ import annotations

from dataclasses import replace

from runners.protocol import CaseResult, Report, Verdict

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
    if not case.hidden:
        return case
    message = case.message if case.status == Verdict.WRONG else HIDDEN_WORDS[case.status]
    return replace(case, label=family_of(case.label), message=without(message, case.label))


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
