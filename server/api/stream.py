"""A submission's events as they happen: server-sent events, resumable, ending with `end`.

Events are read from the database, so any API process can serve any stream, and one that starts late misses nothing.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, cast

import anyio
from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import StreamingResponse
from sqlalchemy.orm import Session, sessionmaker

from server.api.deps import MaybeUser, SessionDep, SettingsDep, unauthorized
from server.errors import not_found
from server.life.events import events_after, is_done
from server.settings import Settings
from server.views import find_submission, is_author

router = APIRouter(prefix="/submissions", tags=["submissions"])

HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
RETRY_MILLISECONDS = 1000
BIGGEST_ID = 2**63 - 1


@dataclass(frozen=True)
class Page:
    """What one look at the database found."""

    events: list[tuple[int, str, dict[str, object]]]
    done: bool


@router.get(
    "/{submission_id}/events", response_class=StreamingResponse, responses={200: {"content": {"text/event-stream": {}}}}
)
def read_events(
    request: Request,
    session: SessionDep,
    settings: SettingsDep,
    viewer: MaybeUser,
    submission_id: int,
    last_event_id: Annotated[str | None, Header(alias="Last-Event-ID")] = None,
    after: Annotated[int, Query(ge=0, le=BIGGEST_ID, description="Only events with an id above this one")] = 0,
) -> StreamingResponse:
    """The events of your submission, from the first or after `Last-Event-ID`, until `end`.

    Each has an id, a kind (`event:`) and JSON data. A stream also ends after a while without `end`: connect again
    with the last id.
    """
    if viewer is None:
        raise unauthorized("Send `Authorization: Bearer kc_...` with your token, or sign in on the site.")
    submission = find_submission(session, submission_id)
    if not is_author(submission, viewer) and not viewer.is_admin:
        raise not_found("submission", submission_id)
    cursor = max(after, _event_id(last_event_id))
    reading = cast("sessionmaker[Session]", request.app.state.reading)
    limiter = cast(anyio.CapacityLimiter, request.app.state.stream_limiter)
    lines = follow(reading, settings, limiter, submission_id, cursor)
    return StreamingResponse(lines, media_type="text/event-stream", headers=HEADERS)


def _event_id(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 19 else 0


async def follow(
    reading: sessionmaker[Session],
    settings: Settings,
    limiter: anyio.CapacityLimiter,
    submission_id: int,
    cursor: int,
) -> AsyncIterator[str]:
    """The stream's text from `cursor` on. Looks at the database every `event_poll_seconds`."""
    yield f"retry: {RETRY_MILLISECONDS}\n\n"
    began = spoke = time.monotonic()
    while time.monotonic() - began < settings.event_stream_seconds:
        page = await anyio.to_thread.run_sync(look, reading, submission_id, cursor, limiter=limiter)
        for event_id, kind, data in page.events:
            cursor, spoke = event_id, time.monotonic()
            yield f"id: {event_id}\nevent: {kind}\ndata: {json.dumps(data)}\n\n"
            if kind == "end":
                return
        if page.done and not page.events:
            yield "event: end\ndata: {}\n\n"
            return
        if time.monotonic() - spoke > settings.event_keepalive_seconds:
            spoke = time.monotonic()
            yield ": still here\n\n"
        await asyncio.sleep(settings.event_poll_seconds)


def look(reading: sessionmaker[Session], submission_id: int, after: int) -> Page:
    """Events after `after`; `done` is read first, so that a done page without events has missed none."""
    with reading() as session:
        done = is_done(session, submission_id)
        found = events_after(session, submission_id, after)
        return Page([(event.id, event.kind, event.data) for event in found], done)
