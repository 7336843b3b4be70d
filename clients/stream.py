"""A submission's event stream, without I/O: reads server-sent events and decides when to connect again.

The format is the HTML standard's `text/event-stream`. Bytes are split at line feeds only: splitting decoded
text would also cut at U+2028, which JSON may hold.
"""

from __future__ import annotations

import json
from typing import Any

import httpx

from clients import api, exchange
from clients.errors import AnswerError, ApiError, KernelCupError
from clients.results import Event

MAX_EVENT_BYTES = 4 << 20
IDLE_SECONDS = 60.0


class EventStream:
    """One submission's events after id `after`, over as many connections as it takes, until ``end``.

    Use: while not `finished`, open `call()`; give the response's head to `opened`, its bytes to `feed`; when
    the connection is over, pause for `dropped` seconds. Failures count while nothing comes in: more than
    `retries` in a row raise. A connection that opened and stayed silent for `IDLE_SECONDS` is opened again.
    """

    def __init__(
        self, submission_id: int, *, after: int, url: str, retries: int, deadline: float | None = None
    ) -> None:
        self.submission_id = submission_id
        self.last_id = after
        self.finished = False
        self._deadline = deadline
        self._is_open = False
        self._url = url
        self._retries = retries
        self._failures = 0
        self._retry_seconds = 0.0
        self._rest = b""
        self._size = 0
        self._reset()

    def call(self) -> api.Call[Any]:
        """The request that resumes after the last event seen; raises WaitTimeoutError past the deadline."""
        self._reset()
        self._is_open = False
        headers = {"Accept": "text/event-stream", "Cache-Control": "no-store"}
        if self.last_id:
            headers["Last-Event-ID"] = str(self.last_id)
        return api.Call(
            "GET",
            f"/submissions/{self.submission_id:d}/events",
            lambda value: value,
            headers=headers,
            patience=min(IDLE_SECONDS, exchange.remaining(self._deadline, self.submission_id)),
        )

    def opened(self, response: httpx.Response) -> None:
        """Refuse a response that is not an event stream; of one with an error the body has been read."""
        if not response.is_success:
            raise api.refusal(response)
        if not response.headers.get("content-type", "").startswith("text/event-stream"):
            raise api.bad_answer(response, "no event stream")
        self._is_open = True

    def feed(self, chunk: bytes) -> list[Event]:
        """The events that `chunk` completes, without those seen before."""
        self._failures = 0
        exchange.remaining(self._deadline, self.submission_id)
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        self._size += sum(map(len, lines))
        if self._size + len(self._rest) > MAX_EVENT_BYTES:
            raise AnswerError(f"{self._url} sent an event of more than {MAX_EVENT_BYTES} bytes")
        events = []
        for line in lines:
            event = self._take(line.removesuffix(b"\r").decode(errors="replace"))
            if event is not None and not self.finished:
                events.append(event)
        return events

    def dropped(self, error: httpx.RequestError | ApiError | None) -> float:
        """How many seconds to wait before connecting again; raises where that cannot help."""
        if isinstance(error, httpx.ReadTimeout) and self._is_open:
            return 0.0
        self._failures += 1
        pause = max(self._retry_seconds, exchange.backoff(self._failures))
        if isinstance(error, ApiError):
            if error.status not in exchange.RETRIED or (error.retry_after or 0) > exchange.LONGEST_PAUSE:
                raise error
            pause = error.retry_after if error.retry_after is not None else pause
        if self._failures > self._retries:
            raise self._last_error(error)
        return pause

    def _last_error(self, error: httpx.RequestError | ApiError | None) -> KernelCupError:
        if isinstance(error, ApiError):
            return error
        return exchange.unreachable(self._url, error or ConnectionError("the event stream breaks off"))

    def _reset(self) -> None:
        self._rest = b""
        self._size = 0
        self._name = ""
        self._data: list[str] = []
        self._id: int | None = None

    def _take(self, line: str) -> Event | None:
        if not line:
            return self._dispatch()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._name = value
        elif name == "data":
            self._data.append(value)
        elif name == "id" and _is_number(value):
            self._id = int(value)
        elif name == "retry" and _is_number(value):
            self._retry_seconds = min(int(value) / 1000, exchange.LONGEST_PAUSE)
        return None

    def _dispatch(self) -> Event | None:
        kind, lines, event_id = self._name, self._data, self._id
        self._name, self._data, self._id, self._size = "", [], None, 0
        seen = event_id is not None and event_id <= self.last_id
        if event_id is not None and not seen:
            self.last_id = event_id
        if kind == "end":
            self.finished = True
        if kind == "end" or seen or not lines:
            return None
        return _event(event_id or 0, kind, "\n".join(lines))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 18


def _event(event_id: int, kind: str, text: str) -> Event | None:
    """The event, or None for what cannot be read: events are best-effort, the submission is the truth."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    if isinstance(data.get("kind"), str) and isinstance(data.get("data"), dict):
        return Event(event_id, data["kind"], data["data"])
    return Event(event_id, kind or "message", data)
