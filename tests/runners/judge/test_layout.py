"""Where data lies on a desk, and what of it a contestant can do harm with."""

from __future__ import annotations

import os
import struct
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from problems.loader import OutputForm, TensorSpec
from runners.contestant import desk as shared
from runners.contestant.desk import CallLayout
from runners.contestant.tensors import fill_skeleton
from runners.judge.desk import JudgeDesk, make_desk_fd, make_inputs_fd
from runners.judge.layout import LayoutError, leaves_of, plan_layout, skeleton_of
from tests.runners.judge.conftest import own_desk

FORMS = (OutputForm("one", (TensorSpec("float32", (3,)),)),)


def nested() -> Any:
    return (torch.ones(2, 3), {"w": [torch.zeros(4, dtype=torch.int32), 7], "flag": True}, "name", None, 0.5)


def test_nested_data_is_rebuilt_around_its_tensors() -> None:
    data = nested()
    rebuilt = fill_skeleton(skeleton_of(data), leaves_of(data))
    assert rebuilt[0] is data[0]
    assert rebuilt[1]["w"][0] is data[1]["w"][0]
    assert (rebuilt[1]["w"][1], rebuilt[1]["flag"], *rebuilt[2:]) == (7, True, "name", None, 0.5)


def test_what_cannot_be_handed_over_is_the_problems_fault() -> None:
    with pytest.raises(LayoutError, match="object"):
        skeleton_of([object()])
    with pytest.raises(LayoutError, match="holds"):
        plan_layout(torch.empty(1 << 20), FORMS, 1 << 20)


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=5), st.integers(1, 7))
def test_no_two_tensors_share_a_page(sizes: list[int], calls: int) -> None:
    data = [torch.empty(size, dtype=torch.uint8) for size in sizes]
    layout = plan_layout(data, FORMS, calls)
    spans = [
        (layout.input_base(call) + slot.offset, size)
        for call in range(calls)
        for slot, size in zip(layout.inputs, sizes, strict=True)
    ] + [(layout.output_base(call), 12) for call in range(calls)]
    pages = [
        page
        for start, size in spans
        for page in range(start // shared.PAGE, (start + max(size, 1) - 1) // shared.PAGE + 1)
    ]
    assert len(pages) == len(set(pages))
    assert CallLayout.from_json(layout.to_json()) == layout


@pytest.fixture
def judge_desk() -> JudgeDesk:
    desk = own_desk()
    desk.set_layout(plan_layout(torch.empty(1000), FORMS, 2))
    return desk


def test_inputs_arrive_and_outputs_are_poisoned(judge_desk: JudgeDesk) -> None:
    data = torch.arange(1000.0)
    judge_desk.write_inputs(1, data)
    judge_desk.poison_outputs()
    assert not judge_desk.inputs_changed(1, data)
    assert judge_desk.inputs_changed(1, data + 1)
    assert judge_desk.read_outputs(1, 0)[0].isnan().all()


def test_an_output_form_out_of_range_reads_as_the_first(judge_desk: JudgeDesk) -> None:
    judge_desk.poison_outputs()
    assert judge_desk.read_outputs(0, 2**63)[0].shape == (3,)


@given(st.binary(max_size=200), st.integers(0, 2**64 - 1))
def test_a_hostile_message_is_an_empty_or_textual_one(raw: bytes, length: int) -> None:
    desk = own_desk()
    memory = (shared.ctypes.c_char * (len(raw) + 8)).from_address(desk.base + shared.MESSAGE_OFFSET)
    memory[:] = struct.pack("<Q", length) + raw
    assert all(isinstance(value, str) for value in desk.message().values())


def test_a_desk_cannot_be_shrunk_under_the_judge() -> None:
    for fd in (make_desk_fd(), make_inputs_fd()):
        with pytest.raises(PermissionError):
            os.ftruncate(fd, 0)
        os.close(fd)


def test_two_desks_may_share_their_inputs_and_nothing_else() -> None:
    inputs = make_inputs_fd()
    desks = [own_desk(inputs) for _ in range(2)]
    os.close(inputs)
    data = torch.arange(1000.0)
    for desk in desks:
        desk.set_layout(plan_layout(data, FORMS, 2))
    desks[0].write_inputs(1, data)
    assert not desks[1].inputs_changed(1, data)
    desks[0].poison_outputs()
    desks[0].words[0] = 5
    assert desks[1].words[0] == 0
    assert not desks[1].read_outputs(0, 0)[0].isnan().any()
