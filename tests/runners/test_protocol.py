"""Messages survive the wire, and what is not a message is refused."""

from __future__ import annotations

import json
import math

import pytest

from runners.protocol import (
    Brief,
    CaseResult,
    CaseSpec,
    Event,
    Evidence,
    Job,
    Limits,
    Mode,
    ProtocolError,
    Report,
    Score,
    Stage,
    Timing,
    Verdict,
    Violation,
    decode,
    encode,
)

TIMING = Timing(
    30, 4, 1e-3, 2e-3, -0.7, -0.71, -0.69, False, 0.001, 1e-5, samples=(1.0, 2.0), anchor_samples=(3.0,)
)  # fmt: skip
REPORT = Report(
    Verdict.PASSED,
    Stage.TIME,
    "",
    cases=(
        CaseResult(Stage.TEST, 0, "n: 1", False, Verdict.PASSED, error=None),
        CaseResult(Stage.TIME, 0, "n: 1", True, Verdict.PASSED, error=0.5, timing=TIMING),
    ),
    score=Score(-0.7, -0.71, -0.69, 1e-3, False),
    evidence=Evidence((Violation("woke_itself", "time", "x"),), True, 123),
    environment={"torch": "2"},
)
JOB = Job(1, 2, Mode.RANKED, "cpu", "basics/vector_mean", "d" * 64, "http://localhost", "token", Limits())


@pytest.mark.parametrize(
    "message",
    [
        REPORT,
        JOB,
        Event("case", {"index": 1}),
        Brief(
            Mode.TEST, "/p", "x", "s.py", "0" * 64, Limits(), (CaseSpec(0, {"n": 1, "x": 0.5, "f": "a", "b": True}),)
        ),
    ],
)
def test_a_message_survives_json(message: object) -> None:
    assert decode(type(message), json.loads(json.dumps(encode(message)))) == message


def test_no_number_is_not_a_number_on_the_wire() -> None:
    sent = encode(CaseResult(Stage.TEST, 0, "", False, Verdict.WRONG, error=math.inf))
    assert json.loads(json.dumps(sent, allow_nan=False))["error"] is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"verdict": "great"}, "verdict"),
        ({"surprise": 1}, "surprise"),
        ({"message": 3}, "message"),
        ({"cases": {}}, "cases"),
        ({"cases": [{"stage": "test"}]}, r"cases\[0\]"),
    ],
)
def test_what_is_not_a_report_is_refused_with_the_field(change: dict[str, object], said: str) -> None:
    with pytest.raises(ProtocolError, match=said):
        decode(Report, {**encode(REPORT), **change})


def test_a_truth_value_is_no_number() -> None:
    with pytest.raises(ProtocolError, match="run_id"):
        decode(Job, {**encode(JOB), "run_id": True})


def test_a_job_is_signed_over_all_its_fields() -> None:
    signed = JOB.signed(b"key")
    assert signed.is_signed_by(b"key")
    assert not signed.is_signed_by(b"other")
    assert not decode(Job, {**encode(signed), "run_id": 7}).is_signed_by(b"key")
    assert not JOB.is_signed_by(b"key")
