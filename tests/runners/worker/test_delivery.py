"""Reports reach the service, whatever happens between."""

from __future__ import annotations

import stat
from pathlib import Path

import httpx
import pytest

from runners.delivery import Delivery
from runners.http import Unreachable
from runners.protocol import Verdict, encode
from runners.spool import Kept, Spool
from server.models import RunState
from tests.server.service import Service, failed, passed


class Flaky(httpx.BaseTransport):
    """Fails a number of times, in turn by no connection, a lost answer and an error of the server; then passes on."""

    def __init__(self, service: Service, failures: int) -> None:
        self._service = service
        self.left = failures

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        self.left -= 1
        if self.left >= 0:
            return self._fail(request)
        return self._pass_on(request)

    def _pass_on(self, request: httpx.Request) -> httpx.Response:
        answer = self._service.client.request(
            request.method, request.url.path, headers=request.headers, content=request.content
        )
        return httpx.Response(answer.status_code, content=answer.content)

    def _fail(self, request: httpx.Request) -> httpx.Response:
        kind = self.left % 3
        if kind == 0:
            raise httpx.ConnectError("no route")
        if kind == 1:
            self._pass_on(request)
            raise httpx.ReadTimeout("the answer was lost")
        return httpx.Response(503)


def kept_for(service: Service, report: object) -> tuple[int, Kept]:
    submission, job = service.started(service.author())
    return submission, Kept(job.attempt_id, "http://service", job.token, report)


def test_a_report_is_repeated_until_it_is_acknowledged(service: Service, tmp_path: Path) -> None:
    submission, kept = kept_for(service, encode(failed(Verdict.WRONG)))
    pauses: list[float] = []
    spool = Spool(tmp_path / "reports")
    delivery = Delivery(httpx.Client(transport=Flaky(service, 9)), spool, pauses.append)
    delivery.deliver(kept)
    assert service.run_of(submission).verdict == Verdict.WRONG
    assert service.kinds(submission).count("verdict") == 1
    assert pauses == sorted(pauses)
    assert len(pauses) == 9
    assert max(pauses) == 10.0
    assert list(spool.kept()) == []


def test_a_restarted_runner_delivers_what_its_predecessor_kept(service: Service, tmp_path: Path) -> None:
    submission, kept = kept_for(service, encode(failed(Verdict.WRONG)))
    Spool(tmp_path).keep(kept)
    delivery = Delivery(httpx.Client(transport=Flaky(service, 1)), Spool(tmp_path))
    with pytest.raises(Unreachable):
        delivery.deliver_kept()
    assert list(Spool(tmp_path).kept()) == [kept]
    delivery.deliver_kept()
    assert service.run_of(submission).verdict == Verdict.WRONG
    assert list(Spool(tmp_path).kept()) == []


def test_a_report_that_comes_too_late_is_acknowledged_and_forgotten(service: Service, tmp_path: Path) -> None:
    submission, kept = kept_for(service, encode(passed()))
    service.expire_leases()
    service.sweeper().expired_leases()
    delivery = Delivery(httpx.Client(transport=Flaky(service, 0)), Spool(tmp_path))
    assert not delivery.deliver(kept)
    assert list(Spool(tmp_path).kept()) == []
    assert service.run_of(submission).verdict is None


def test_a_report_that_the_service_cannot_read_becomes_our_fault(service: Service, tmp_path: Path) -> None:
    submission, kept = kept_for(service, {"verdict": "splendid"})
    Delivery(httpx.Client(transport=Flaky(service, 0)), Spool(tmp_path)).deliver(kept)
    assert service.run_of(submission).state == RunState.QUEUED
    assert list(Spool(tmp_path).kept()) == []


def test_kept_reports_are_private_and_a_damaged_one_does_not_block_the_others(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "reports")
    kept = Kept(7, "http://service", "token", {"a": 1})
    spool.keep(kept)
    path = tmp_path / "reports" / "attempt-7.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (tmp_path / "reports" / "attempt-8.json").write_text('{"attempt_id"')
    assert list(spool.kept()) == [kept]
    assert (tmp_path / "reports" / "attempt-8.bad").exists()
