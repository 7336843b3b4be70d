"""Which runners are there."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from server.models import Attempt, AttemptState, RunnerHost, utc_now


def register(
    session: Session,
    *,
    name: str,
    device: str,
    slots: int,
    level: Mapping[str, Any],
    environment: Mapping[str, Any],
    restarted: bool,
) -> bool:
    """Note that a runner is there, and commit. True if it was not there before, or has room it did not have.

    `restarted` says that the runner has just begun and holds nothing: whatever attempt it had started died with it, so
    its lease ends now.
    """
    host = session.scalar(select(RunnerHost).where(RunnerHost.name == name).with_for_update())
    is_news = host is None or restarted or host.slots < slots
    if host is None:
        host = RunnerHost(name=name)
        session.add(host)
    host.device, host.slots = device, slots
    host.level, host.environment = dict(level), dict(environment)
    host.seen_at = utc_now()
    if restarted:
        session.execute(
            update(Attempt)
            .where(Attempt.runner == name, Attempt.state == AttemptState.STARTED)
            .values(lease_expires_at=utc_now() - timedelta(seconds=1))
            .execution_options(synchronize_session=False)
        )
    try:
        session.commit()
    except IntegrityError:
        # Another request registered the same new name first; the next heartbeat updates it.
        session.rollback()
    return is_news
