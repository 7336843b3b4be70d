from __future__ import annotations

import httpx
import pytest

from clients import exchange


@pytest.mark.parametrize(("failures", "seconds"), [(1, 0.25), (2, 0.5), (3, 1.0), (6, 8.0), (40, 8.0)])
def test_backoff_doubles_to_a_limit_and_is_spread(failures: int, seconds: float) -> None:
    pauses = {exchange.backoff(failures) for _ in range(50)}
    assert len(pauses) > 1
    assert all(0.7 * seconds < pause < 1.3 * seconds for pause in pauses)


@pytest.mark.parametrize(
    ("header", "pause"), [("0", 0.0), ("2.5", 2.5), ("60", 60.0), ("61", None), ("1e999", "backoff"), ("-1", "backoff")]
)
def test_retry_after_decides_the_pause(header: str, pause: float | str | None) -> None:
    found = exchange.pause_for(httpx.Response(429, headers={"Retry-After": header}), 1)
    assert (found is not None and 0 < found < 1) if pause == "backoff" else found == pause


def test_a_date_in_retry_after_falls_back_to_backoff() -> None:
    response = httpx.Response(503, headers={"Retry-After": "Fri, 02 Jan 2026 03:04:05 GMT"})
    assert 0 < (exchange.pause_for(response, 1) or 0) < 1
