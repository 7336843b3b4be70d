"""The client for asyncio."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
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


class AsyncKernelCup:
    """`KernelCup` for asyncio; an asynchronous context manager. The methods do the same."""

    def __init__(self, url: str, token: str | None = None, *, timeout: float = 30.0, retries: int = 4) -> None:
        self._connection = Connection(url, token, timeout, retries)
        self._http = httpx.AsyncClient(**self._connection.options)

    @property
    def url(self) -> str:
        """The service's URL."""
        return self._connection.url

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def me(self) -> results.Me:
        """Who the token belongs to."""
        return await self._run(self._connection.steps(api.me()))

    async def problems(self) -> tuple[results.Problem, ...]:
        """All problems."""
        return await self._run(self._connection.steps(api.problems()))

    async def problem(self, slug: str) -> results.Problem:
        """One problem, by its slug ``set/name``."""
        return await self._run(self._connection.steps(api.problem(slug)))

    async def boards(self) -> tuple[results.Board, ...]:
        """All boards."""
        return await self._run(self._connection.steps(api.boards()))

    async def board(self, name: str) -> results.Board:
        """One board."""
        return await self._run(self._connection.steps(api.board(name)))

    async def rows(self, board: str) -> results.BoardRows:
        """A board's standings, fastest first."""
        return await self._run(self._connection.steps(api.rows(board)))

    async def submit(
        self,
        source: str | bytes | Path,
        *,
        board: str,
        mode: str = "ranked",
        file_name: str | None = None,
        idempotency_key: str | None = None,
    ) -> results.Submission:
        """Submit `source` and return at once; see `KernelCup.submit`."""
        call = api.submit(source, board=board, mode=mode, file_name=file_name, idempotency_key=idempotency_key)
        return await self._run(self._connection.steps(call))

    async def submission(self, submission_id: int) -> results.Submission:
        """One submission with its runs."""
        return await self._run(self._connection.steps(api.submission(submission_id)))

    async def submissions(
        self, *, limit: int | None = None, before: int | None = None
    ) -> tuple[results.SubmissionRow, ...]:
        """The caller's submissions, newest first; `before` an id continues a list."""
        return await self._run(self._connection.steps(api.submissions(limit, before)))

    async def cancel(self, submission_id: int) -> results.Submission:
        """Withdraw a submission. A ranked run that has started still counts as one."""
        cancelled = await self._run(self._connection.steps(api.cancel(submission_id)))
        return cancelled or await self.submission(submission_id)

    async def report(self, submission_id: int) -> dict[str, Any]:
        """The judge's raw report of the newest run, for its author."""
        return await self._run(self._connection.steps(api.report(submission_id)))

    async def queue(self) -> tuple[results.Queue, ...]:
        """Each device's queue."""
        return await self._run(self._connection.steps(api.queue()))

    def events(
        self, submission_id: int, after: int = 0, *, timeout: float | None = None
    ) -> AsyncIterator[results.Event]:
        """What happens to a submission; see `KernelCup.events`."""
        return self._events(self._connection.stream(submission_id, after, deadline_in(timeout)))

    async def wait(
        self,
        submission_id: int,
        on_event: Callable[[results.Event], Awaitable[object] | object] | None = None,
        *,
        timeout: float | None = None,
    ) -> results.Submission:
        """The submission once it is done. `on_event` may be a coroutine function. Raises WaitTimeoutError."""
        deadline = deadline_in(timeout)
        async for event in self._events(self._connection.stream(submission_id, 0, deadline)):
            told = on_event(event) if on_event is not None else None
            if inspect.isawaitable(told):
                await told
        return await self._run(self._connection.done(submission_id, deadline))

    async def _run(self, steps: Steps[T]) -> T:
        reply: Reply = None
        while True:
            try:
                step = steps.send(reply)
            except StopIteration as stop:
                answer: T = stop.value
                return answer
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
                reply = None
            else:
                try:
                    reply = await self._http.send(step.call.build(self._http))
                except httpx.RequestError as error:
                    reply = error

    async def _events(self, stream: EventStream) -> AsyncIterator[results.Event]:
        while not stream.finished:
            broken: httpx.RequestError | ApiError | None = None
            try:
                response = await self._http.send(stream.call().build(self._http), stream=True)
                async with aclosing(response):
                    if not response.is_success:
                        await response.aread()
                    stream.opened(response)
                    async for chunk in response.aiter_bytes():
                        for event in stream.feed(chunk):
                            yield event
            except (httpx.RequestError, ApiError) as error:
                broken = error
            if not stream.finished:
                await asyncio.sleep(stream.dropped(broken))
