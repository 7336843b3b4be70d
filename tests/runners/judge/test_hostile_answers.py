"""A hundred thousand hostile answers: whatever a contestant leaves on its desk, the judge ends with a verdict."""

from __future__ import annotations

import json
import random
import secrets
from typing import Any

import numpy as np
import pytest
import torch

from problems.loader import Problem, load
from problems.spec import library
from runners.contestant import desk as shared
from runners.contestant.desk import DONE, FORM, STATUS
from runners.judge.answers import CLAIMS, Failed, raise_if_failed, read_answer
from runners.judge.desk import JudgeDesk
from runners.judge.layout import plan_layout
from runners.judge.wording import word_failure
from runners.protocol import CaseResult, Limits, Stage, Verdict, decode, encode
from tests.runners.judge.conftest import own_desk

MESSAGES, OUTPUTS = 80_000, 20_000
EDGES = [0, 1, 2, 3, 255, 1 << 31, (1 << 32) - 1, 1 << 63, (1 << 64) - 1]
KINDS = [*CLAIMS, "signal", "timeout", "output", "woke_itself", "unstoppable", "", "\0", "\ud800", "x" * 5000]
VALUES: list[Any] = ["9", "-9", "x" * 60_000, "\ud83d", "\0", "[bold]", "\x1b[2J", 9, None, [], {"a": {}}, True, 1e999]


def hostile_message(rng: random.Random) -> bytes:
    """JSON of the right kind, of the wrong kind, or no JSON, behind a length that may be anything."""
    shape = rng.randrange(4)
    if shape == 0:
        raw = rng.randbytes(rng.randrange(200))
    elif shape == 1:
        raw = json.dumps(rng.choice([[], 3, None, "x", [[[]]], {"kind": {"kind": "signal"}}])).encode()
    else:
        fields = {key: rng.choice(VALUES) for key in ("type", "text", "extra") if rng.random() < 0.8}
        raw = json.dumps({"kind": rng.choice(KINDS), **fields}).encode()
        if shape == 3:
            raw = bytearray(raw)
            raw[rng.randrange(len(raw))] = rng.randrange(256)
    length = len(raw) if rng.random() < 0.8 else rng.choice(EDGES)
    return length.to_bytes(8, "little") + bytes(raw)


def put(desk: JudgeDesk, offset: int, raw: bytes) -> None:
    shared.ctypes.memmove(desk.base + offset, raw, len(raw))


@pytest.fixture
def desk() -> JudgeDesk:
    return own_desk()


def test_no_message_makes_more_than_a_failure_of_its_author(desk: JudgeDesk) -> None:
    rng = random.Random(7)
    for _ in range(MESSAGES):
        put(desk, shared.MESSAGE_OFFSET, hostile_message(rng))
        desk.words[STATUS] = rng.choice(EDGES[1:])
        desk.words[DONE] = rng.choice(EDGES)
        with pytest.raises(Failed) as caught:
            raise_if_failed(desk)
        assert caught.value.kind in CLAIMS
        verdict, message = word_failure(caught.value, "test case 1", Limits(), secret=rng.random() < 0.5)
        assert verdict not in (Verdict.JUDGE_FAULT, Verdict.PASSED)
        result = CaseResult(Stage.TEST, 0, "", False, verdict, message)
        assert decode(CaseResult, json.loads(json.dumps(encode(result)).encode())) == result
        assert "\0" not in message
        message.encode("utf-8")


@pytest.mark.parametrize(
    ("slug", "params"),
    [
        ("basics/vector_mean", {"n": 33, "family": "normal"}),
        ("linalg/qr", {"batch": 2, "m": 5, "n": 3, "family": "normal"}),
    ],
)
def test_no_output_does_more_than_be_wrong(desk: JudgeDesk, slug: str, params: dict[str, Any]) -> None:
    problem: Problem = load(library()[slug])
    rng = np.random.default_rng(8)
    data = problem.inputs(params, secrets.token_bytes(32))
    forms = problem.forms(params)
    desk.set_layout(plan_layout(data, forms, 1))
    size = desk.layout.output_stride
    special = torch.tensor([float("nan"), float("inf"), -float("inf"), 1e-45, 3.4e38, -3.4e38, 0.0, -0.0, 1.0]).numpy()
    for turn in range(OUTPUTS // 2):
        raw = rng.bytes(size) if turn % 2 else rng.choice(special, size // 4).astype(np.float32).tobytes()
        put(desk, desk.layout.output_base(0), raw)
        desk.words[FORM] = EDGES[turn % len(EDGES)]
        answer = read_answer(desk, 0)
        key = turn.to_bytes(32, "little")
        found = problem.check(params, data, forms[answer.form], answer.outputs, key, full=bool(turn % 3))
        assert not found.ok
        assert found.message
        assert "\0" not in found.message
