"""Runner hosts: registration, and the problem packages they fetch."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import select
from sqlalchemy.orm import undefer

from server.api.deps import RunnerKeyDep, SessionDep, SettingsDep, bearer_of, holds_runner_key, unauthorized
from server.auth import digest_of
from server.celery_app import ring
from server.errors import Refusal, not_found
from server.life.locks import LIVE_ATTEMPTS
from server.life.registry import register
from server.models import Attempt, Problem

router = APIRouter(tags=["runners"])


class RunnerIn(BaseModel):
    """What a runner says of itself. `restarted`: it has just begun, and holds no attempt."""

    model_config = ConfigDict(extra="forbid")
    device: str = Field(pattern=r"^[a-z0-9][a-z0-9_.-]{0,39}$")
    slots: int = Field(default=1, ge=0, le=1024)
    level: dict[str, Any] = Field(default_factory=dict, max_length=50)
    environment: dict[str, Any] = Field(default_factory=dict, max_length=50)
    restarted: bool = False


class RunnerOut(BaseModel):
    """Acknowledged; say it again every `heartbeat_seconds`."""

    heartbeat_seconds: float


@router.put("/runners/{name}", dependencies=[RunnerKeyDep])
def put_runner(
    session: SessionDep,
    settings: SettingsDep,
    name: Annotated[str, Path(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.@-]{0,99}$")],
    body: RunnerIn,
) -> RunnerOut:
    """Say that a runner is there. It is live until it has been silent for a while."""
    if register(session, name=name, **body.model_dump()):
        ring()
    return RunnerOut(heartbeat_seconds=settings.heartbeat_seconds)


@router.get(
    "/packages/{digest}", response_class=Response, responses={200: {"content": {"application/octet-stream": {}}}}
)
def read_package(
    request: Request,
    session: SessionDep,
    settings: SettingsDep,
    digest: Annotated[str, Path(pattern=r"^[0-9a-f]{64}$")],
) -> Response:
    """A problem package by its digest, for runners: with the runner key, or the token of a live attempt."""
    _check_runner(request, session, settings)
    problem = session.scalar(select(Problem).where(Problem.digest == digest).options(undefer(Problem.archive)).limit(1))
    if problem is None:
        raise not_found("package", digest)
    return Response(problem.archive, media_type="application/octet-stream")


def _check_runner(request: Request, session: SessionDep, settings: SettingsDep) -> None:
    if holds_runner_key(request, settings):
        return
    text = bearer_of(request)
    if text is None:
        raise unauthorized("Send an attempt's token, or the runner key, as bearer token.")
    held = session.scalar(
        select(Attempt.id).where(Attempt.token_digest == digest_of(text), Attempt.state.in_(LIVE_ATTEMPTS)).limit(1)
    )
    if held is None:
        raise Refusal(403, "wrong_token", "Wrong token", "This is not the token of a live attempt.")
