from __future__ import annotations

import time
from collections import deque
from typing import Any

import pytest

from clients import stream
from clients.results import Event
from clients.sdk import AnswerError, ApiError, KernelCup, Unreachable, WaitTimeoutError
from tests.clients.contract_service import (
    TOKEN,
    ContractService,
    Drop,
    Garbage,
    Refuse,
    Streamed,
    sse,
    submission,
)

pytestmark = pytest.mark.usefixtures("short_backoff")
EVENTS = "/submissions/7/events"


def events(service: ContractService, after: int = 0, retries: int = 4, **options: Any) -> list[tuple[int, str]]:
    with KernelCup(service.url, TOKEN, retries=retries) as cup:
        return [(event.id, event.kind) for event in cup.events(7, after, **options)]


def test_events_come_in_order_and_end_at_end(service: ContractService) -> None:
    service.streams.append(
        Streamed([sse(1, "queued", {}), sse(2, "running", {"a": 1}), sse(3, "end", {}), sse(4, "late", {})])
    )
    assert events(service) == [(1, "queued"), (2, "running")]
    assert service.requests[0].headers["accept"] == "text/event-stream"
    assert "last-event-id" not in service.requests[0].headers


def test_data_is_decoded(service: ContractService) -> None:
    data = {"reason": "line one\nline two \u2028 \x85 ü", "n": 1}
    service.streams.append(Streamed([sse(1, "requeued", data), sse(2, "end", {})]))
    with KernelCup(service.url, TOKEN) as cup:
        assert list(cup.events(7)) == [Event(1, "requeued", data)]


def test_events_in_raw_unicode_and_odd_chunks_are_put_together(service: ContractService) -> None:
    raw = 'id: 5\r\nevent: note\r\ndata: {"t":\r\ndata: "\u2028ü"}\r\n\r\n: ping\n\nid: 6\nevent: end\ndata: {}\n\n'
    service.streams.append(Streamed([bytes([byte]) for byte in raw.encode()]))
    with KernelCup(service.url, TOKEN) as cup:
        assert list(cup.events(7)) == [Event(5, "note", {"t": "\u2028ü"})]


def test_a_dropped_stream_resumes_where_it_was(service: ContractService) -> None:
    half = sse(3, "case", {"stage": "test"})
    service.streams += [
        Streamed([sse(1, "queued", {}), sse(2, "running", {}), half[:20]]),
        Streamed([]),
        Streamed([sse(2, "running", {}), half, sse(4, "end", {})]),
    ]
    assert events(service) == [(1, "queued"), (2, "running"), (3, "case")]
    assert [request.headers.get("last-event-id") for request in service.requests] == [None, "2", "2"]


def test_after_starts_the_stream_later(service: ContractService) -> None:
    assert events(service, after=5) == []
    assert service.requests[0].headers["last-event-id"] == "5"


def test_an_end_that_was_seen_before_or_has_no_id_still_ends(service: ContractService) -> None:
    service.streams.append(Streamed([sse(9, "end", {})]))
    assert events(service, after=9) == []
    service.streams.append(Streamed([b"event: end\ndata: {}\n\n"]))
    assert events(service, after=9) == []


def test_passing_troubles_on_the_way_are_survived(service: ContractService) -> None:
    service.fail(EVENTS, Refuse(503), Drop(), Refuse(429, retry_after="0"))
    service.streams.append(Streamed([sse(1, "queued", {}), sse(2, "end", {})]))
    assert events(service) == [(1, "queued")]
    assert len(service.requests) == 4


def test_progress_refills_the_retries(service: ContractService) -> None:
    service.streams += [Streamed([sse(n, "progress", {})]) for n in range(1, 7)]
    service.streams.append(Streamed([sse(7, "end", {})]))
    assert len(events(service, retries=1)) == 6


def test_a_stream_that_never_gives_anything_is_unreachable(service: ContractService) -> None:
    service.streams += [Streamed([]) for _ in range(9)]
    with pytest.raises(Unreachable, match=service.url):
        events(service, retries=2)
    assert len(service.requests) == 3


@pytest.mark.parametrize("status", [401, 404, 500])
def test_a_refused_stream_is_not_retried(service: ContractService, status: int) -> None:
    service.fail(EVENTS, Refuse(status))
    with pytest.raises(ApiError) as caught:
        events(service)
    assert caught.value.status == status
    assert len(service.requests) == 1


def test_a_page_instead_of_a_stream_says_to_check_the_url(service: ContractService) -> None:
    service.fail(EVENTS, Garbage())
    with pytest.raises(AnswerError, match="check the URL"):
        events(service)


def test_events_that_cannot_be_read_are_passed_over(service: ContractService) -> None:
    service.streams.append(
        Streamed(
            [
                b"id: 1\nevent: case\ndata: {broken\n\n",
                b"id: 2\nevent: case\ndata: [1]\n\n",
                b"id: " + b"9" * 5000 + b"\nevent: case\ndata: {}\n\n",
                b"id: 3\nevent: case\ndata: " + b"[" * 50_000 + b"\n\n",
                sse(4, "case", {}),
                sse(5, "end", {}),
            ]
        )
    )
    assert events(service) == [(0, "case"), (4, "case")]


def test_an_endless_event_is_refused(service: ContractService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "MAX_EVENT_BYTES", 10_000)
    service.streams.append(Streamed([b"data: " + b"x" * 6000 + b"\n"] * 2))
    with pytest.raises(AnswerError, match="10000"):
        events(service)


def test_a_silent_stream_is_opened_again_without_using_up_retries(
    service: ContractService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "IDLE_SECONDS", 0.3)
    service.streams += [Streamed([sse(1, "queued", {})], hang_seconds=5), Streamed([b": here\n\n"], hang_seconds=5)]
    service.streams.append(Streamed([sse(2, "end", {})]))
    assert events(service, retries=0) == [(1, "queued")]


def test_wait_tells_of_events_and_returns_what_is_done(service: ContractService) -> None:
    seen: list[str] = []
    service.streams.append(Streamed([sse(1, "queued", {}), sse(2, "verdict", {}), sse(3, "end", {})]))
    with KernelCup(service.url, TOKEN) as cup:
        assert cup.wait(7, lambda event: seen.append(event.kind)).outcome == "ranked"
    assert seen == ["queued", "verdict"]


def test_wait_asks_until_the_submission_is_done(service: ContractService) -> None:
    service.answers["/submissions/7"] = deque([submission(outcome="judged"), submission(outcome="ranked")])
    with KernelCup(service.url, TOKEN) as cup:
        assert cup.wait(7).outcome == "ranked"
    assert service.paths().count("GET /submissions/7") == 2


@pytest.mark.parametrize("hang", [Streamed([sse(1, "queued", {})], hang_seconds=20), Streamed([], hang_seconds=20)])
def test_wait_gives_up_after_its_timeout(service: ContractService, hang: Streamed) -> None:
    service.streams.append(hang)
    before = time.monotonic()
    with KernelCup(service.url, TOKEN) as cup, pytest.raises(WaitTimeoutError, match="goes on without you"):
        cup.wait(7, timeout=0.5)
    assert time.monotonic() - before < 15


def test_a_callers_exception_stops_the_wait(service: ContractService) -> None:
    def fail(_: Event) -> None:
        raise RuntimeError("mine")

    service.streams.append(Streamed([sse(1, "queued", {})], hang_seconds=20))
    with KernelCup(service.url, TOKEN) as cup, pytest.raises(RuntimeError, match="mine"):
        cup.wait(7, fail)
