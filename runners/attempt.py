"""One job from start to acknowledged report, with its heartbeat and its events beside it."""

from __future__ import annotations

import logging
import queue
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import httpx

from runners.delivery import Delivery
from runners.http import AttemptClient, AttemptOver, Refused, Start, Unreachable
from runners.judge.faults import fault_report
from runners.judge.local import Cancelled
from runners.packages import PackageCache
from runners.protocol import Brief, Event, Job, Limits, Mode, Report, encode
from runners.spool import Kept

log = logging.getLogger(__name__)

MOST_WAITING_EVENTS = 1000
MOST_EVENTS_A_POST = 200
EVENTS_PAUSE_SECONDS = 0.1
"""Between two posts of events: a run of a tenth of a second shall not be slowed by a transaction for each case."""


class Prepared(Protocol):
    """A judge whose cells exist, waiting for its brief; see :class:`runners.judge.local.PreparedJudge`."""

    def judge(
        self,
        brief: Brief,
        on_event: Callable[[Event], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Report:
        """Judge the brief. Raises Cancelled."""

    def close(self) -> None:
        """End it."""


@dataclass(frozen=True)
class Bench:
    """What a runner works with. `prepare` opens a judge, `heartbeat_seconds` says how often to keep a lease."""

    name: str
    client: httpx.Client
    delivery: Delivery
    packages: PackageCache
    prepare: Callable[[Mode, Limits], Prepared]
    heartbeat_seconds: Callable[[], float]


def run_job(job: Job, bench: Bench) -> None:
    """Judge `job` and deliver its report; drop it if its attempt is over.

    Whatever goes wrong here is our fault and is reported so. Only a service that cannot be asked at the start leaves no
    trace: the attempt's lease then ends by itself.
    """
    service = AttemptClient(bench.client, job.api_url, job.attempt_id, job.token)
    prepared, trouble = _prepare(bench, job)
    try:
        try:
            start = service.start(bench.name)
        except (AttemptOver, Refused, Unreachable) as error:
            log.info("job of attempt %d dropped: %s", job.attempt_id, error)
            return
        with heartbeat(service, bench.heartbeat_seconds) as pulse, events_to(service) as tell:
            report = _judge(bench, service, start, prepared, trouble, pulse, tell)
            if report is not None:
                bench.delivery.deliver(Kept(job.attempt_id, job.api_url, job.token, encode(report)))
    finally:
        if prepared is not None:
            prepared.close()


def _prepare(bench: Bench, job: Job) -> tuple[Prepared | None, str]:
    """A judge, made while the brief is on its way; or what went wrong, to be reported once the attempt is ours."""
    try:
        return bench.prepare(job.mode, job.limits), ""
    except Exception:
        return None, traceback.format_exc()


def _judge(
    bench: Bench,
    service: AttemptClient,
    start: Start,
    prepared: Prepared | None,
    trouble: str,
    pulse: LastPulse,
    tell: Callable[[Event], None],
) -> Report | None:
    if prepared is None:
        log.error("no judge could be opened: %s", trouble)
        return fault_report(trouble)
    try:
        path = bench.packages.path(start.problem_digest, service.package)
        brief = Brief(
            mode=start.mode,
            problem_path=str(path),
            source=start.source,
            file_name=start.file_name,
            nonce=start.nonce,
            limits=start.limits,
            hidden=start.hidden,
        )
        return prepared.judge(brief, tell, pulse.ends_it)
    except Cancelled:
        _let_go(service, pulse)
        return None
    except Exception:
        log.exception("judging failed")
        return fault_report(traceback.format_exc())


def _let_go(service: AttemptClient, pulse: LastPulse) -> None:
    if pulse.lost:
        return
    try:
        service.cancelled()
    except (AttemptOver, Refused, Unreachable) as error:
        log.warning("cancellation not acknowledged, the lease will end it: %s", error)


class LastPulse:
    """What the last heartbeat said. Written by one thread, read by another."""

    def __init__(self) -> None:
        self.cancel = False
        self.lost = False

    def ends_it(self) -> bool:
        """Whether to stop judging."""
        return self.cancel or self.lost


@contextmanager
def heartbeat(service: AttemptClient, seconds: Callable[[], float]) -> Iterator[LastPulse]:
    """Keep the lease, in a thread, for as long as the context is open."""
    pulse = LastPulse()
    over = threading.Event()

    def beat() -> None:
        while not over.wait(seconds()):
            try:
                answer = service.heartbeat()
            except Unreachable as error:
                log.warning("heartbeat missed: %s", error)
            except Exception:
                log.exception("heartbeat refused")
                pulse.lost = True
            else:
                pulse.cancel, pulse.lost = answer.cancel, answer.lost
            if pulse.lost:
                return

    thread = threading.Thread(target=beat, name="heartbeat", daemon=True)
    thread.start()
    try:
        yield pulse
    finally:
        over.set()


@contextmanager
def events_to(service: AttemptClient) -> Iterator[Callable[[Event], None]]:
    """A function that tells progress without ever waiting: events that cannot be sent in time are dropped."""
    waiting: queue.Queue[Event | None] = queue.Queue(MOST_WAITING_EVENTS)

    def tell(event: Event) -> None:
        try:
            waiting.put_nowait(event)
        except queue.Full:
            log.debug("event dropped: %s", event.kind)

    over = threading.Event()

    def post() -> None:
        while (batch := _batch(waiting)) is not None:
            try:
                service.events(batch)
            except Exception as error:
                log.debug("events dropped: %s", error)
            over.wait(EVENTS_PAUSE_SECONDS)

    thread = threading.Thread(target=post, name="events", daemon=True)
    thread.start()
    try:
        yield tell
    finally:
        # In this order: a thread that wakes before the end is in the queue would post what the verdict makes moot.
        _end(waiting)
        over.set()


def _batch(waiting: queue.Queue[Event | None]) -> list[Event] | None:
    """The next events, as many as there are; None at the end."""
    first = waiting.get()
    if first is None:
        return None
    batch = [first]
    while len(batch) < MOST_EVENTS_A_POST:
        try:
            event = waiting.get_nowait()
        except queue.Empty:
            break
        if event is None:
            return None
        batch.append(event)
    return batch


def _end(waiting: queue.Queue[Event | None]) -> None:
    """Put the end into the queue, if need be in place of what still waits: the verdict makes it moot."""
    while True:
        try:
            waiting.put_nowait(None)
            return
        except queue.Full:
            try:
                waiting.get_nowait()
            except queue.Empty:
                continue
