"""What the blocking and the asynchronous client share."""

from __future__ import annotations

import time
from typing import Any, TypeVar

from clients import api, results
from clients.exchange import Steps, exchange, until_done
from clients.stream import EventStream

T = TypeVar("T")


class Connection:
    """What both clients are made of. `timeout`, in seconds, is for connecting and for each wait on bytes."""

    def __init__(self, url: str, token: str | None, timeout: float, retries: int) -> None:
        self.url = api.base_url(url)
        self.retries = retries
        headers = {"User-Agent": api.user_agent(), "Accept": "application/json"}
        if token is not None:
            headers["Authorization"] = f"Bearer {api.checked_token(token)}"
        self.options: dict[str, Any] = {
            "base_url": self.url,
            "headers": headers,
            "timeout": timeout,
            "trust_env": not api.is_loopback(self.url),
        }

    def steps(self, call: api.Call[T]) -> Steps[T]:
        """How `call` is sent and sent again."""
        return exchange(call, url=self.url, retries=self.retries)

    def done(self, submission_id: int, deadline: float | None) -> Steps[results.Submission]:
        """How a submission is asked for until it is done."""
        return until_done(submission_id, url=self.url, retries=self.retries, deadline=deadline)

    def stream(self, submission_id: int, after: int, deadline: float | None) -> EventStream:
        """A submission's events after id `after`."""
        return EventStream(submission_id, after=after, url=self.url, retries=self.retries, deadline=deadline)


def deadline_in(seconds: float | None) -> float | None:
    """The moment `seconds` from now, of the monotonic clock."""
    return None if seconds is None else time.monotonic() + seconds
