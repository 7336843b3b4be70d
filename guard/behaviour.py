"""Reads the judge's evidence: what no honest kernel does, whatever its source says."""

from __future__ import annotations

import math
from collections.abc import Iterator

from guard.scan import Hit
from runners.protocol import CaseResult, Report, Verdict

UNEVEN = 0.05
SLOWED_ANCHOR = 0.03
LARGE_ERROR = 0.1
FAR_ABOVE = 20.0
_ANCHOR_ERROR = 1e-3
_VIOLATIONS = {
    "ran_while_stopped": ("G78", "The submission computed while it was stopped and its clock did not run"),
    "woke_itself": ("G79", "The submission resumed itself before its clock ran"),
    "extra_process": ("C26", "The submission left a process of its own running beside the timed one"),
    "took_over": ("G81", "The submission answers for its caller instead of returning from each call"),
    "unstoppable": ("G80", "The submission could not be stopped at the end of a call"),
    "forbidden_call": ("G110", "The submission made a system call that no kernel needs, such as ptrace or mount"),
}
_FINISH = "Finish all work before custom_kernel returns; start no threads, timers or processes that go on."
_ADVICE = {"forbidden_call": "Take the call out, or the library that makes it: no kernel needs it."}


def examine(report: Report, source_hits: list[Hit]) -> list[Hit]:
    """What the report shows; `source_hits` are those of the source, which tell what evidence is about.

    A violation is worse if the source tries to cause it, but is a rejection either way: the judge has seen it happen.
    """
    hits = [*_violations(report, source_hits)]
    for case in report.cases:
        hits += _floor(case)
        hits += _uneven(case)
        hits += _slows_anchor(case)
        hits += _inaccurate(case)
    hits += _hidden_only(report)
    hits += _inputs(report, source_hits)
    return hits


def _violations(report: Report, source_hits: list[Hit]) -> Iterator[Hit]:
    tried = {hit.family: hit.line for hit in source_hits}
    for violation in report.evidence.violations:
        family, message = _VIOLATIONS.get(violation.kind, ("G78", f"The judge saw {violation.kind}"))
        yield Hit(
            rule=f"behaviour.{violation.kind.replace('_', '-')}",
            version=1,
            family=family,
            effect="reject" if violation.kind in _VIOLATIONS else "review",
            message=f"{message} ({_where(violation.case)}).",
            advice=_ADVICE.get(violation.kind, _FINISH),
            line=tried.get(family, 0),
            excerpt=violation.detail[:160],
        )


def _floor(case: CaseResult) -> Iterator[Hit]:
    timing = case.timing
    if timing is None or not timing.floor_seconds or case.status is not Verdict.PASSED:
        return
    if not math.isfinite(timing.seconds) or timing.seconds <= 0:
        yield _hit(
            "no-time",
            "ROOF",
            "review",
            f"No usable time was measured for {_name(case, start=False)}.",
            "Submit it again.",
        )
    elif timing.seconds < timing.floor_seconds:
        share = timing.seconds / timing.floor_seconds
        yield _hit(
            "below-floor",
            "ROOF",
            "reject" if share < 0.5 else "review",
            f"{_name(case)} took {share:.0%} of the least time that moving its bytes and doing its operations takes.",
            "Compute the whole result from this call's inputs in every call.",
        )


def _uneven(case: CaseResult) -> Iterator[Hit]:
    timing = case.timing
    if timing is None or not timing.mean_excess > UNEVEN:
        return
    yield _hit(
        "uneven-calls",
        "G82",
        "review",
        f"{_name(case)} has uneven calls: their mean is at least {timing.mean_excess:.0%} above the typical call.",
        "Do the same work in every call; leave nothing for a later one.",
    )


def _slows_anchor(case: CaseResult) -> Iterator[Hit]:
    timing = case.timing
    if timing is None or not timing.anchor_slowdown > SLOWED_ANCHOR:
        return
    yield _hit(
        "slows-anchor",
        "G94",
        "review",
        f"{_name(case)} leaves the core slower: the reference takes over {timing.anchor_slowdown:.0%} longer after it.",
        "Leave no threads, timers or memory behind that work after the call.",
    )


def _inaccurate(case: CaseResult) -> Iterator[Hit]:
    """An error that passes, but is far above the reference's: a lower precision, or work left out.

    A note and no more: the check has accepted it, and honest sums in another order come close to their limit too.
    """
    if case.status is not Verdict.PASSED or case.error is None or case.anchor_error is None:
        return
    factor = case.error / max(case.anchor_error, _ANCHOR_ERROR)
    if case.error >= LARGE_ERROR and factor >= FAR_ABOVE:
        yield _hit(
            "error-above-anchor",
            "E65",
            "note",
            f"The error of {_name(case, start=False)} is {case.error:.2g} of its limit, far above the reference's.",
            "Compute in the precision that the problem asks for, and the whole of it.",
        )


def _hidden_only(report: Report) -> Iterator[Hit]:
    public = [case for case in report.cases if not case.hidden]
    wrong = [case for case in report.cases if case.hidden and case.status is Verdict.WRONG]
    if wrong and public and all(case.status is Verdict.PASSED for case in public):
        yield _hit(
            "wrong-on-hidden",
            "E67",
            "note",
            f"Every public case is right, but {len(wrong)} hidden case{'s are' if len(wrong) > 1 else ' is'} wrong.",
            "Handle every size and family that the statement allows, not only the listed ones.",
        )


def _inputs(report: Report, source_hits: list[Hit]) -> Iterator[Hit]:
    if report.evidence.inputs_written:
        line = next((hit.line for hit in source_hits if hit.family == "D57"), 0)
        yield Hit(
            rule="behaviour.inputs-written",
            version=1,
            family="D57",
            effect="note",
            message="The submission wrote to its inputs. That is allowed: the judge checks against copies of its own.",
            advice="Nothing to do, unless you did not mean to.",
            line=line,
        )


def _hit(name: str, family: str, effect: str, message: str, advice: str) -> Hit:
    return Hit(f"behaviour.{name}", 1, family, effect, message, advice)


def _name(case: CaseResult, *, start: bool = True) -> str:
    """The case as authors may know it, at the start of a sentence or within one."""
    name = "a hidden case" if case.hidden else f"the case {case.label}"
    return name[0].upper() + name[1:] if start else name


def _where(case: str) -> str:
    return f"in {case}" if case else "in this run"
