"""In which order a device's queue is served. The dispatcher, the position shown and the ETA all ask here."""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import and_, case, func, or_, select
from sqlalchemy.orm import Session

from runners.protocol import Mode
from server.life.fitness import live_hosts, live_since, nearest_miss, requirements_of
from server.models import Board, Run, RunnerHost, RunReason, RunState, utc_now
from server.settings import Settings

IN_FLIGHT = (RunState.DISPATCHED, RunState.RUNNING)
PRIORITIES = {Mode.TEST: 0, Mode.BENCHMARK: 10, Mode.PROFILE: 10, Mode.RANKED: 20}
CONFIRMATION_PRIORITY = 25
REJUDGE_PRIORITY = 30
OVERDUE_PRIORITY = -1
DEFAULT_SECONDS = {Mode.TEST: 2.0, Mode.BENCHMARK: 15.0, Mode.PROFILE: 15.0, Mode.RANKED: 30.0}
HISTORY = 20


@dataclass(frozen=True)
class Waiting:
    """A queued run, as far as order goes."""

    run_id: int
    user_id: int
    priority: int
    mode: Mode
    board_id: int = 0


def serve_order(waiting: Iterable[Waiting], load: Mapping[int, int]) -> list[Waiting]:
    """`waiting` in the order of service.

    Lower priority number first; then the author with the least `load` (runs in flight or started recently), each run
    served adding one to it; then the oldest. O(n log n).
    """
    queues: dict[int, dict[int, deque[Waiting]]] = defaultdict(lambda: defaultdict(deque))
    for item in sorted(waiting, key=lambda item: item.run_id):
        queues[item.priority][item.user_id].append(item)
    loads = dict(load)
    served: list[Waiting] = []
    for priority in sorted(queues):
        authors = queues[priority]
        heap = [(loads.get(user, 0), queue[0].run_id, user) for user, queue in authors.items()]
        heapq.heapify(heap)
        while heap:
            _, _, user = heapq.heappop(heap)
            served.append(authors[user].popleft())
            loads[user] = loads.get(user, 0) + 1
            if authors[user]:
                heapq.heappush(heap, (loads[user], authors[user][0].run_id, user))
    return served


def queue_order(session: Session, settings: Settings, device: str) -> list[Waiting]:
    """The queue of `device` in the order of service. Runs that confirm go after people's own, but not for ever."""
    late = utc_now() - timedelta(seconds=settings.confirm_within_seconds)
    overdue = and_(Run.reason == RunReason.CONFIRMATION, Run.queued_at < late)
    priority = case((overdue, OVERDUE_PRIORITY), else_=Run.priority)
    rows = session.execute(
        select(Run.id, Run.user_id, priority, Run.mode, Run.board_id).where(
            Run.device == device, Run.state == RunState.QUEUED, Run.cancel_requested.is_(False)
        )
    )
    waiting = [Waiting(*row) for row in rows]
    return serve_order(waiting, _author_load(session, settings, device)) if waiting else []


def _author_load(session: Session, settings: Settings, device: str) -> dict[int, int]:
    recent = utc_now() - timedelta(seconds=settings.fair_window_seconds)
    rows = session.execute(
        select(Run.user_id, func.count())
        .where(
            Run.device == device,
            Run.reason == RunReason.SUBMITTED,
            or_(Run.state.in_(IN_FLIGHT), Run.started_at >= recent),
        )
        .group_by(Run.user_id)
    )
    return {row[0]: row[1] for row in rows}


def live_slots(session: Session, settings: Settings, device: str) -> int:
    """How many runs the live runners of `device` can hold at once."""
    slots = session.scalar(
        select(func.coalesce(func.sum(RunnerHost.slots), 0)).where(
            RunnerHost.device == device, RunnerHost.seen_at >= utc_now() - live_since(settings)
        )
    )
    return int(slots or 0)


def in_flight(session: Session, device: str) -> int:
    """How many runs are sent to, or held by, runners of `device`."""
    return (
        session.scalar(select(func.count()).select_from(Run).where(Run.device == device, Run.state.in_(IN_FLIGHT))) or 0
    )


def seconds_by_mode(session: Session, device: str) -> dict[Mode, float]:
    """How long a run of each mode took on `device` lately (mean), or a guess where there is no history."""
    taken: dict[Mode, float] = {}
    for mode in Mode:
        rows = session.execute(
            select(Run.started_at, Run.judged_at)
            .where(Run.device == device, Run.mode == mode, Run.judged_at.is_not(None), Run.started_at.is_not(None))
            .order_by(Run.id.desc())
            .limit(HISTORY)
        ).all()
        spans = [(end - start).total_seconds() for start, end in rows if start and end]
        taken[mode] = sum(spans) / len(spans) if spans else DEFAULT_SECONDS[mode]
    return taken


def start_times(
    order: Sequence[Waiting], busy: Sequence[float], slots: int, seconds: Mapping[Mode, float]
) -> dict[int, float]:
    """When, in seconds from now, each run of `order` should start. `busy`: what the runs in flight still need."""
    if slots < 1:
        return {}
    free = (sorted(busy) + [0.0] * slots)[: max(slots, len(busy))]
    heapq.heapify(free)
    while len(free) > slots:
        heapq.heappop(free)
    starts: dict[int, float] = {}
    for item in order:
        start = heapq.heappop(free)
        starts[item.run_id] = start
        heapq.heappush(free, start + seconds[item.mode])
    return starts


def lacking_facts(session: Session, settings: Settings, board_id: int) -> list[str]:
    """What the board demands that no live runner of its device offers; empty if one offers all, or none is live."""
    board = session.get_one(Board, board_id)
    requires = requirements_of(board)
    if not requires:
        return []
    hosts = live_hosts(session, settings, board.device)
    return nearest_miss(hosts, requires) if hosts else []


@dataclass(frozen=True)
class Place:
    """Where a queued run stands: `position` from 1, `eta_seconds` until it starts (None while nobody can serve it)."""

    position: int
    eta_seconds: float | None


def places(session: Session, settings: Settings, device: str) -> dict[int, Place]:
    """The place of every queued run of `device`."""
    order = queue_order(session, settings, device)
    if not order:
        return {}
    seconds = seconds_by_mode(session, device)
    now = utc_now()
    running = session.execute(select(Run.mode, Run.started_at).where(Run.device == device, Run.state.in_(IN_FLIGHT)))
    busy = [
        max(0.0, seconds[mode] - ((now - started).total_seconds() if started else 0.0)) for mode, started in running
    ]
    lacking = {board: lacking_facts(session, settings, board) for board in {item.board_id for item in order}}
    servable = [item for item in order if not lacking[item.board_id]]
    starts = start_times(servable, busy, live_slots(session, settings, device), seconds)
    return {item.run_id: Place(n, starts.get(item.run_id)) for n, item in enumerate(order, start=1)}
