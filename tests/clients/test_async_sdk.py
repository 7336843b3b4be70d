from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from clients.sdk import ApiError, AsyncKernelCup, KernelCup, Unreachable, WaitTimeoutError
from tests.clients.contract_service import TOKEN, ContractService, Drop, Refuse, Streamed, board, sse

pytestmark = pytest.mark.usefixtures("short_backoff")


def run(service: ContractService, work: Callable[[AsyncKernelCup], Awaitable[Any]], **options: Any) -> Any:
    async def inside() -> Any:
        async with AsyncKernelCup(service.url, TOKEN, **options) as cup:
            return await work(cup)

    return asyncio.run(inside())


def test_both_clients_offer_the_same_methods() -> None:
    def public(kind: type) -> dict[str, list[str]]:
        methods = inspect.getmembers(kind, inspect.isfunction)
        return {
            name: list(inspect.signature(method).parameters) for name, method in methods if not name.startswith("_")
        }

    blocking, asynchronous = public(KernelCup), public(AsyncKernelCup)
    assert blocking.pop("close") == asynchronous.pop("aclose")
    assert blocking == asynchronous


def test_each_method_decodes_as_the_blocking_client_does(service: ContractService) -> None:
    service.answers["/boards/vector_mean-cpu/rows"] = {"board": board(), "rows": []}
    calls: list[tuple[str, tuple[Any, ...]]] = [
        ("me", ()), ("boards", ()), ("board", ("vector_mean-cpu",)), ("rows", ("vector_mean-cpu",)), ("problems", ()),
        ("problem", ("basics/vector_mean",)), ("submission", (7,)), ("submissions", ()), ("cancel", (7,)),
        ("report", (7,)), ("queue", ()),
    ]  # fmt: skip

    async def all_of(cup: AsyncKernelCup) -> list[Any]:
        return [await getattr(cup, name)(*arguments) for name, arguments in calls]

    with KernelCup(service.url, TOKEN) as blocking:
        expected = [getattr(blocking, name)(*arguments) for name, arguments in calls]
    assert run(service, all_of) == expected


def test_submit_survives_troubles_and_submits_once(service: ContractService, tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text("x = 1")
    service.fail("/submissions", Drop(after_work=True), Refuse(503), Refuse(429, retry_after="0"))
    made = run(service, lambda cup: cup.submit(path, board="vector_mean-cpu"))
    assert made.id == 7
    assert len(service.made) == 1
    assert len(service.to("/submissions")) == 4


def test_refusals_and_silence_are_raised(service: ContractService) -> None:
    with pytest.raises(ApiError, match="nothing at"):
        run(service, lambda cup: cup.board("nowhere"))
    service.fail("/boards", Drop(), Drop())
    with pytest.raises(Unreachable):
        run(service, lambda cup: cup.boards(), retries=1)


def test_events_resume(service: ContractService) -> None:
    service.streams += [
        Streamed([sse(1, "queued", {}), sse(2, "ru", {})[:9]]),
        Streamed([sse(1, "queued", {}), sse(2, "running", {}), sse(3, "end", {})]),
    ]

    async def all_of(cup: AsyncKernelCup) -> list[str]:
        return [event.kind async for event in cup.events(7)]

    assert run(service, all_of) == ["queued", "running"]
    assert [request.headers.get("last-event-id") for request in service.requests] == [None, "1"]


@pytest.mark.parametrize("is_coroutine", [False, True])
def test_wait_tells_functions_and_coroutines(service: ContractService, is_coroutine: bool) -> None:
    seen: list[str] = []

    async def later(event: Any) -> None:
        await asyncio.sleep(0)
        seen.append(event.kind)

    service.streams.append(Streamed([sse(1, "queued", {}), sse(2, "end", {})]))
    tell = later if is_coroutine else (lambda event: seen.append(event.kind))
    assert run(service, lambda cup: cup.wait(7, tell)).outcome == "ranked"
    assert seen == ["queued"]


def test_wait_gives_up_after_its_timeout(service: ContractService) -> None:
    service.streams.append(Streamed([sse(1, "queued", {})], hang_seconds=20))
    with pytest.raises(WaitTimeoutError):
        run(service, lambda cup: cup.wait(7, timeout=0.5))
