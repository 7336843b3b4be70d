from __future__ import annotations

import os
import socket
import threading
from dataclasses import replace

import pytest

from runners.sandbox.cores import plan_cores
from runners.sandbox.level import Level, admits
from runners.sandbox.wire import MAX_MESSAGE_BYTES, Channel, ChannelError

FINE = Level(
    stop=True, cpu_clock=True, namespaces="root", seccomp=True, memory="cgroup-v2", uid="throwaway", own_core=True
)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"stop": False}, "SIGSTOP"),
        ({"cpu_clock": False}, "CPU clock"),
        ({"namespaces": "none"}, "namespaces"),
        ({"seccomp": False}, "libseccomp"),
        ({"memory": "none"}, "memory control"),
    ],
)
def test_a_level_says_what_is_missing_and_what_to_do(change: dict[str, object], word: str) -> None:
    assert FINE.missing() == []
    (text,) = replace(FINE, **change).missing()  # type: ignore[arg-type]
    assert word in text
    assert ":" in text


def test_a_shared_core_or_an_own_uid_does_not_bar_a_host() -> None:
    assert replace(FINE, own_core=False, uid="own", namespaces="user").missing() == []


def test_only_memory_control_can_be_waived() -> None:
    bare = replace(FINE, memory="none")
    assert admits(bare, False)
    assert admits(bare, True) == []
    assert admits(replace(bare, seccomp=False), True)


def test_a_level_as_text_holds_every_field_as_a_word() -> None:
    text = FINE.as_text()
    assert text["memory"] == "cgroup-v2"
    assert text["stop"] == "yes"
    assert set(text) == set(FINE.__dataclass_fields__)


@pytest.mark.parametrize(
    ("available", "limit", "expected"),
    [
        ({0}, None, (0, (0,), False)),
        ({0, 1}, None, (0, (1,), True)),
        ({2, 3, 5}, None, (2, (3, 5), True)),
        ({2, 3, 5}, 1, (2, (3,), True)),
        ({7}, 4, (7, (7,), False)),
    ],
)
def test_the_judge_has_a_core_of_its_own_where_there_are_two(
    monkeypatch: pytest.MonkeyPatch, available: set[int], limit: int | None, expected: tuple[object, ...]
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: available)
    plan = plan_cores(limit)
    assert (plan.judge, plan.contestant, plan.own_core) == expected


def test_a_contestant_without_a_core_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one core"):
        plan_cores(0)


def channels() -> tuple[Channel, Channel]:
    ours, theirs = socket.socketpair()
    return Channel(ours), Channel(theirs)


def test_messages_arrive_in_order_and_whole() -> None:
    here, there = channels()
    messages = [{"n": 1}, {"text": "line\nbreak ü"}, {"big": "x" * 300_000}]
    sender = threading.Thread(target=lambda: [here.send(message) for message in messages])
    sender.start()
    assert [there.receive(10) for _ in messages] == messages
    sender.join()
    here.close()
    assert there.receive(1) is None
    there.close()


def test_waiting_ends_in_time() -> None:
    here, there = channels()
    with pytest.raises(TimeoutError):
        there.receive(0.01)
    here.close()
    there.close()


@pytest.mark.parametrize("line", [b"nonsense\n", b"[1]\n", b"\xff\n"])
def test_what_is_no_message_is_an_error(line: bytes) -> None:
    raw, theirs = socket.socketpair()
    there = Channel(theirs)
    raw.sendall(line)
    with pytest.raises(ChannelError):
        there.receive(1)
    raw.close()
    there.close()


def test_a_message_that_is_too_long_is_refused() -> None:
    here, there = channels()
    with pytest.raises(ChannelError, match="longer"):
        here.send({"x": "y" * MAX_MESSAGE_BYTES})
    here.close()
    there.close()
