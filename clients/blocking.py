"""The blocking client."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from clients import api, results
from clients.connection import Connection, deadline_in
from clients.errors import ApiError
from clients.exchange import Pause, Reply, Steps
from clients.stream import EventStream

T = TypeVar("T")


class KernelCup:
    """The blocking client; a context manager, safe to use from several threads.

    Without a token it sees what the public sees. Raises ValueError for what is no URL or no token.
    """

    def __init__(self, url: str, token: str | None = None, *, timeout: float = 30.0, retries: int = 4) -> None:
        self._connection = Connection(url, token, timeout, retries)
        self._http = httpx.Client(**self._connection.options)

    @property
    def url(self) -> str:
        """The service's URL."""
        return self._connection.url

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def me(self) -> results.Me:
        """Who the token belongs to."""
        return self._run(self._connection.steps(api.me()))

    def problems(self) -> tuple[results.Problem, ...]:
        """All problems."""
        return self._run(self._connection.steps(api.problems()))

    def problem(self, slug: str) -> results.Problem:
        """One problem, by its slug ``set/name``."""
        return self._run(self._connection.steps(api.problem(slug)))

    def boards(self) -> tuple[results.Board, ...]:
        """All boards."""
        return self._run(self._connection.steps(api.boards()))

    def board(self, name: str) -> results.Board:
        """One board."""
        return self._run(self._connection.steps(api.board(name)))

    def rows(self, board: str) -> results.BoardRows:
        """A board's standings, fastest first."""
        return self._run(self._connection.steps(api.rows(board)))

    def submit(
        self,
        source: str | bytes | Path,
        *,
        board: str,
        mode: str = "ranked",
        file_name: str | None = None,
        idempotency_key: str | None = None,
    ) -> results.Submission:
        """Submit `source` (its text or bytes, or a `Path`) and return at once; see `wait`.

        `mode` is test, benchmark, ranked or profile. Give `idempotency_key` to make repeated calls of this
        method one submission; repeats within one call are always safe.
        """
        call = api.submit(source, board=board, mode=mode, file_name=file_name, idempotency_key=idempotency_key)
        return self._run(self._connection.steps(call))

    def submission(self, submission_id: int) -> results.Submission:
        """One submission with its runs."""
        return self._run(self._connection.steps(api.submission(submission_id)))

    def submissions(self, *, limit: int | None = None, before: int | None = None) -> tuple[results.SubmissionRow, ...]:
        """The caller's submissions, newest first; `before` an id continues a list."""
        return self._run(self._connection.steps(api.submissions(limit, before)))

    def cancel(self, submission_id: int) -> results.Submission:
        """Withdraw a submission. A ranked run that has started still counts as one."""
        cancelled = self._run(self._connection.steps(api.cancel(submission_id)))
        return cancelled or self.submission(submission_id)

    def report(self, submission_id: int) -> dict[str, Any]:
        """The judge's raw report of the newest run, for its author."""
        return self._run(self._connection.steps(api.report(submission_id)))

    def queue(self) -> tuple[results.Queue, ...]:
        """Each device's queue."""
        return self._run(self._connection.steps(api.queue()))

    def events(self, submission_id: int, after: int = 0, *, timeout: float | None = None) -> Iterator[results.Event]:
        """What happens to a submission, from after the event with id `after` until it is done.

        Connects again where the stream breaks off, without losing or repeating an event. After about
        `timeout` seconds raises WaitTimeoutError.
        """
        return self._events(self._connection.stream(submission_id, after, deadline_in(timeout)))

    def wait(
        self,
        submission_id: int,
        on_event: Callable[[results.Event], object] | None = None,
        *,
        timeout: float | None = None,
    ) -> results.Submission:
        """The submission once it is done; `on_event` is told of everything on the way. See `events`."""
        deadline = deadline_in(timeout)
        for event in self._events(self._connection.stream(submission_id, 0, deadline)):
            if on_event is not None:
                on_event(event)
        return self._run(self._connection.done(submission_id, deadline))

    def _run(self, steps: Steps[T]) -> T:
        reply: Reply = None
        while True:
            try:
                step = steps.send(reply)
            except StopIteration as stop:
                answer: T = stop.value
                return answer
            if isinstance(step, Pause):
                time.sleep(step.seconds)
                reply = None
            else:
                try:
                    reply = self._http.send(step.call.build(self._http))
                except httpx.RequestError as error:
                    reply = error

    def _events(self, stream: EventStream) -> Iterator[results.Event]:
        while not stream.finished:
            broken: httpx.RequestError | ApiError | None = None
            try:
                with closing(self._http.send(stream.call().build(self._http), stream=True)) as response:
                    if not response.is_success:
                        response.read()
                    stream.opened(response)
                    for chunk in response.iter_bytes():
                        yield from stream.feed(chunk)
            except (httpx.RequestError, ApiError) as error:
                broken = error
            if not stream.finished:
                time.sleep(stream.dropped(broken))
