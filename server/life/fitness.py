"""Which runners are there, and which of them offer what a board demands of its host."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from problems.requirements import Requirements, unmet
from server.models import Attempt, AttemptState, Board, Run, RunnerHost, utc_now
from server.settings import Settings


def requirements_of(board: Board) -> dict[str, tuple[str, ...]]:
    """What the problem demands, then the board, which may change it name by name."""
    chosen = {**_demanded(board.problem.spec.get("limits")), **_demanded(board.limits)}
    return {name: tuple(options) for name, options in chosen.items()}


def _demanded(limits: object) -> dict[str, Sequence[str]]:
    demanded = limits.get("requires") if isinstance(limits, dict) else None
    if not isinstance(demanded, dict):
        return {}
    return {name: [value] if isinstance(value, str) else list(value) for name, value in demanded.items()}


def live_since(settings: Settings) -> timedelta:
    """How long ago a live runner may have been seen."""
    return timedelta(seconds=settings.runner_live_seconds)


def live_hosts(session: Session, settings: Settings, device: str) -> list[RunnerHost]:
    """The live runners of `device` that have room for runs, by name."""
    return list(
        session.scalars(
            select(RunnerHost)
            .where(
                RunnerHost.device == device,
                RunnerHost.slots > 0,
                RunnerHost.seen_at >= utc_now() - live_since(settings),
            )
            .order_by(RunnerHost.name)
        )
    )


def is_fit(host: RunnerHost, requires: Requirements) -> bool:
    """Whether the host offers all that is demanded."""
    return not unmet(requires, host.level)


def free_fit_slots(session: Session, hosts: Sequence[RunnerHost], device: str, requires: Requirements) -> int:
    """How many runs with these demands could start now on `hosts`, the device's live ones.

    A job that is sent and not begun may be anywhere; it counts as if a fit runner had it.
    """
    fit = [host for host in hosts if is_fit(host, requires)]
    if not fit:
        return 0
    held = session.scalar(
        select(func.count())
        .select_from(Attempt)
        .join(Run, Attempt.run_id == Run.id)
        .where(
            Run.device == device,
            (Attempt.state == AttemptState.SENT)
            | ((Attempt.state == AttemptState.STARTED) & Attempt.runner.in_([host.name for host in fit])),
        )
    )
    return sum(host.slots for host in fit) - (held or 0)


def nearest_miss(hosts: Sequence[RunnerHost], requires: Requirements) -> list[str]:
    """What the host that offers most of it still lacks; empty if one offers all. Needs at least one host."""
    return min((unmet(requires, host.level) for host in hosts), key=len)
