from __future__ import annotations

import contextlib
import json
import math
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients import results
from clients.decode import DecodeError, decode, to_json

TIMING = {"seconds": 1, "anchor_seconds": 2.0, "speedup": 2.0, "speedup_low": 1.9, "speedup_high": 2.1}


def test_whole_numbers_are_taken_for_real_ones_but_words_are_not() -> None:
    assert decode(results.Timing, TIMING).seconds == 1.0
    with pytest.raises(DecodeError, match=r"Timing\.seconds"):
        decode(results.Timing, {**TIMING, "seconds": "fast"})
    with pytest.raises(DecodeError, match=r"Timing\.pairs"):
        decode(results.Timing, {**TIMING, "pairs": True})


def test_a_missing_field_without_a_default_is_named() -> None:
    with pytest.raises(DecodeError, match="'id'"):
        decode(results.Submission, {"board": "b", "mode": "test", "outcome": "passed", "done": True})


def test_null_takes_the_default() -> None:
    row = {"id": 1, "board": "b", "mode": "test", "outcome": "passed", "done": True, "file_name": None}
    assert decode(results.SubmissionRow, row).file_name == ""


def test_parameters_keep_their_types() -> None:
    shape = decode(results.CaseShape, {"index": 0, "label": "", "params": {"a": 1, "b": 1.5, "c": "x", "d": True}})
    assert shape.params == {"a": 1, "b": 1.5, "c": "x", "d": True}
    assert type(shape.params["d"]) is bool
    with pytest.raises(DecodeError):
        decode(results.CaseShape, {"index": 0, "label": "", "params": {"a": [1]}})


def test_times_are_aware() -> None:
    me = decode(results.SubmissionRow, {
        "id": 1, "board": "b", "mode": "test", "outcome": "passed", "done": True, "created_at": "2026-01-02T03:04:05Z",
    })  # fmt: skip
    assert me.created_at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    with pytest.raises(DecodeError, match="created_at"):
        decode(results.SubmissionRow, {
            "id": 1, "board": "b", "mode": "test", "outcome": "passed", "done": True, "created_at": "yesterday",
        })  # fmt: skip


def test_results_become_json_and_come_back() -> None:
    run = results.Run(1, "cpu", "test", "finished", queued_at=datetime(2026, 1, 2, tzinfo=UTC), speedup=math.nan)
    shown = results.Submission(3, "b", "test", "passed", True, runs=(run,))
    text = json.dumps(to_json(shown), allow_nan=False)
    back = decode(results.Submission, json.loads(text))
    assert back.runs[0].queued_at == run.queued_at
    assert back.runs[0].speedup is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["id", "board", "runs", "cases", "x"]), inner),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_decoded_or_refused(value: Any) -> None:
    with contextlib.suppress(DecodeError):
        decode(results.Submission, value)
