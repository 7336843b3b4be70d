"""How a request is tried again, without I/O, so that the blocking and the async client share it.

A generator yields what is to be done, `Send` or `Pause`, and is sent what came of it; it returns the answer.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx

from clients import api, results
from clients.errors import KernelCupError, Unreachable, WaitTimeoutError

T = TypeVar("T")

RETRIED = frozenset({429, 502, 503, 504})
LONGEST_PAUSE = 60.0
POLL_SECONDS = 0.5


@dataclass(frozen=True)
class Send:
    """Send the call; answer with its response, body read, or with what went wrong in transport."""

    call: api.Call[Any]


@dataclass(frozen=True)
class Pause:
    """Do nothing for so many seconds."""

    seconds: float


Reply = httpx.Response | httpx.RequestError | None
Steps = Generator[Send | Pause, Reply, T]


def backoff(failures: int) -> float:
    """Seconds to wait after the n-th failure in a row: about 0.25, 0.5, 1, 2, at most 8, spread by a half."""
    return min(8.0, 0.25 * 2.0 ** (failures - 1)) * random.uniform(0.75, 1.25)  # noqa: S311


def pause_for(response: httpx.Response, failures: int) -> float | None:
    """Seconds to wait before trying again; None where that cannot help or would take more than a minute."""
    if response.status_code not in RETRIED:
        return None
    asked = api.retry_after(response)
    if asked is None:
        return backoff(failures)
    return asked if asked <= LONGEST_PAUSE else None


def unreachable(url: str, error: Exception) -> Unreachable:
    """The error for a service that did not answer."""
    reason = str(error) or type(error).__name__
    return Unreachable(f"cannot reach {url}: {reason}")


def exchange(call: api.Call[T], *, url: str, retries: int) -> Steps[T]:
    """Send `call`, and again up to `retries` times where that can help; raises what the last try came to."""
    failures = 0
    while True:
        reply = yield Send(call)
        failures += 1
        pause: float | None
        error: KernelCupError
        if isinstance(reply, httpx.Response):
            if (pause := pause_for(reply, failures)) is None:
                return call.answer(reply)
            error = api.refusal(reply)
        else:
            error = unreachable(url, reply or ConnectionError("no reply"))
            pause = backoff(failures)
        if failures > retries:
            raise error
        yield Pause(pause)


def remaining(deadline: float | None, submission_id: int) -> float:
    """Seconds until `deadline` (of the monotonic clock); raises WaitTimeoutError when there are none left."""
    if deadline is None:
        return math.inf
    if (left := deadline - time.monotonic()) <= 0:
        raise WaitTimeoutError(f"submission {submission_id} is not done yet; it goes on without you")
    return left


def until_done(
    submission_id: int, *, url: str, retries: int, deadline: float | None = None
) -> Steps[results.Submission]:
    """The submission once it is done, asked for every half second until the deadline."""
    while True:
        submission = yield from exchange(api.submission(submission_id), url=url, retries=retries)
        if submission.done:
            return submission
        yield Pause(min(POLL_SECONDS, remaining(deadline, submission_id)))
