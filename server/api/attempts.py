"""The runner's side: start, heartbeat, events, report. Every call carries the attempt's own token."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body
from pydantic import BaseModel, ConfigDict, Field

from runners.protocol import ProtocolError, Report, decode
from server.api.deps import AttemptDep, SessionDep, SettingsDep
from server.celery_app import ring, ring_guard
from server.errors import Refusal
from server.life.attempts import heartbeat, let_go, progress, start
from server.life.record import record
from server.models import Attempt, RunState

router = APIRouter(prefix="/attempts", tags=["runners"])


class StartIn(BaseModel):
    """Which runner starts the attempt."""

    model_config = ConfigDict(extra="forbid")
    runner: str = Field(default="", max_length=100)


class PulseOut(BaseModel):
    """`cancel`: stop, then PUT cancelled. `lost`: stop, this attempt is over."""

    cancel: bool
    lost: bool


class EventIn(BaseModel):
    """One progress event."""

    model_config = ConfigDict(extra="forbid")
    kind: str = Field(max_length=40)
    data: dict[str, Any]


class EventsIn(BaseModel):
    """Progress events, oldest first."""

    model_config = ConfigDict(extra="forbid")
    events: list[EventIn] = Field(max_length=1000)


class Recorded(BaseModel):
    """Whether it changed anything; false for what came late or twice, which is no error."""

    recorded: bool


@router.put("/{attempt_id}/start")
def start_attempt(
    session: SessionDep, settings: SettingsDep, attempt_id: AttemptDep, body: StartIn | None = None
) -> dict[str, Any]:
    """Begin, and learn source, nonce, limits and hidden cases. 409: started or given up before, drop the job."""
    return start(session, settings, attempt_id, body.runner if body else "")


@router.put("/{attempt_id}/heartbeat")
def beat(session: SessionDep, settings: SettingsDep, attempt_id: AttemptDep) -> PulseOut:
    """Keep the lease."""
    pulse = heartbeat(session, settings, attempt_id)
    return PulseOut(cancel=pulse.cancel, lost=pulse.lost)


@router.put("/{attempt_id}/events")
def add_events(session: SessionDep, attempt_id: AttemptDep, body: EventsIn) -> Recorded:
    """Tell progress, best-effort."""
    return Recorded(recorded=progress(session, attempt_id, [event.model_dump() for event in body.events]) > 0)


@router.put("/{attempt_id}/report")
def put_report(
    session: SessionDep, settings: SettingsDep, attempt_id: AttemptDep, body: Annotated[dict[str, Any], Body()]
) -> Recorded:
    """The one answer to a job. Repeat it until it is acknowledged with 200."""
    try:
        report = decode(Report, body)
    except ProtocolError as error:
        raise Refusal(422, "invalid_report", "Invalid report", str(error)) from None
    recorded = record(session, settings, attempt_id, report)
    if recorded:
        _ring_after(session, attempt_id)
    return Recorded(recorded=recorded)


def _ring_after(session: SessionDep, attempt_id: int) -> None:
    run = session.get_one(Attempt, attempt_id).run
    if run.state == RunState.JUDGED:
        ring_guard(run.id)
    ring()


@router.put("/{attempt_id}/cancelled")
def put_cancelled(session: SessionDep, settings: SettingsDep, attempt_id: AttemptDep) -> Recorded:
    """The runner stopped because a heartbeat told it to."""
    recorded = let_go(session, settings, attempt_id)
    if recorded:
        ring()
    return Recorded(recorded=recorded)
