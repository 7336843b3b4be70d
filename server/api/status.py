"""Is it alive, and how long are the queues."""

from __future__ import annotations

import logging
from typing import Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from server.api.deps import SessionDep
from server.celery_app import broker_answers
from server.schemas import QueueOut
from server.views import queues

log = logging.getLogger(__name__)

health_router = APIRouter(tags=["status"])
router = APIRouter(tags=["status"])


class Health(BaseModel):
    """`ok`; `degraded`: submissions are kept but nothing starts; `down`: nothing works."""

    status: Literal["ok", "degraded", "down"]
    database: Literal["ok", "unreachable"]
    broker: Literal["ok", "unreachable"]


@health_router.get("/health", responses={503: {"model": Health}})
def read_health(session: SessionDep, response: Response) -> Health:
    """Whether database and broker can be reached. 503 if the database cannot."""
    broker: Literal["ok", "unreachable"] = "ok" if broker_answers() else "unreachable"
    try:
        session.execute(text("SELECT 1"))
    except SQLAlchemyError:
        log.exception("database unreachable")
        response.status_code = 503
        return Health(status="down", database="unreachable", broker=broker)
    return Health(status="ok" if broker == "ok" else "degraded", database="ok", broker=broker)


@router.get("/queue")
def read_queue(session: SessionDep) -> list[QueueOut]:
    """Every device's queue, in numbers; nobody's submissions."""
    return queues(session)
