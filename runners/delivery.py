"""Delivering a report: kept on disk first, then sent until the service has acknowledged it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator

import httpx

from runners.http import AttemptClient, AttemptOver, Refused, Unreachable
from runners.judge.faults import fault_report
from runners.protocol import encode
from runners.spool import Kept, Spool

log = logging.getLogger(__name__)

FIRST_PAUSE, LONGEST_PAUSE = 0.2, 10.0
UNREADABLE = (413, 422)


class Delivery:
    """Sends reports over `client`, keeping them in `spool` until they are acknowledged."""

    def __init__(self, client: httpx.Client, spool: Spool, sleep: Callable[[float], None] = time.sleep) -> None:
        self._client = client
        self._spool = spool
        self._sleep = sleep

    def deliver(self, kept: Kept) -> bool:
        """Keep and send until there is an answer. Whether the report counted: false if it came too late."""
        self._spool.keep(kept)
        pauses = _pauses()
        while True:
            try:
                return self._send(kept)
            except Unreachable as error:
                pause = next(pauses)
                log.warning("report of attempt %d not acknowledged, again in %.1f s: %s", kept.attempt_id, pause, error)
                self._sleep(pause)

    def deliver_kept(self) -> None:
        """Send what an earlier process left behind. Raises Unreachable; what was not sent stays."""
        for kept in self._spool.kept():
            recorded = self._send(kept)
            log.info("report of attempt %d delivered late, %s", kept.attempt_id, "in time" if recorded else "unused")

    def _send(self, kept: Kept) -> bool:
        attempt = AttemptClient(self._client, kept.api_url, kept.attempt_id, kept.token)
        try:
            recorded = attempt.report(kept.report)
        except Refused as error:
            log.error("report of attempt %d refused: %s", kept.attempt_id, error)
            recorded = self._send_fault(attempt, error)
        self._spool.drop(kept.attempt_id)
        return recorded

    def _send_fault(self, attempt: AttemptClient, error: Refused) -> bool:
        """A report that the service cannot read is our fault; say so, so that the run is tried again at once."""
        if error.status not in UNREADABLE:
            return False
        try:
            return attempt.report(encode(fault_report(f"the service refused the report: {error}")))
        except (Refused, AttemptOver):
            return False


def _pauses() -> Iterator[float]:
    pause = FIRST_PAUSE
    while True:
        yield pause
        pause = min(2 * pause, LONGEST_PAUSE)
