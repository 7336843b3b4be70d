"""The composition root: builds the application from the API and the pages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from fastapi import APIRouter, FastAPI

import web
from server import celery_app, errors
from server.api import account, attempts, boards, problems, runners, status, stream, submissions
from server.api.access import AccessLog
from server.api.limits import BodyLimit
from server.db import engine_for, reading_factory, session_factory
from server.logs import configure_logging
from server.schemas import ProblemDetails
from server.settings import Settings, get_settings

DESCRIPTION = """
Submit a kernel, watch it being judged, read the board. Sign in with `Authorization: Bearer kc_...`.

Every error is a problem details document (RFC 9457): `code` is stable for programs, `detail` says what to do.
"""
STREAM_READERS = 8


def create_app(settings: Settings | None = None) -> FastAPI:
    """The service's ASGI application, with `settings` or the environment's."""
    if settings is None:
        settings = get_settings()
        configure_logging(settings.log_level)
    else:
        celery_app.configure(settings)
    engine = engine_for(settings.database_url)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        engine.dispose()

    app = FastAPI(
        title="KernelCup",
        version="1",
        description=DESCRIPTION,
        lifespan=lifespan,
        openapi_url="/api/v1/openapi.json",
        docs_url="/docs",
        redoc_url=None,
        responses={422: {"model": ProblemDetails, "content": {errors.MEDIA_TYPE: {}}}},
    )
    app.state.settings = settings
    app.state.engine = engine
    app.state.sessions = session_factory(engine, settings)
    app.state.reading = reading_factory(engine, settings)
    app.state.stream_limiter = anyio.CapacityLimiter(STREAM_READERS)
    errors.install(app)
    app.include_router(api_router(), prefix="/api/v1")
    app.include_router(status.health_router)
    web.install(app)
    app.add_middleware(BodyLimit, submission_bytes=settings.max_source_bytes)
    app.add_middleware(AccessLog)
    return app


def api_router() -> APIRouter:
    """All of the REST API."""
    router = APIRouter()
    for part in (account, problems, boards, submissions, stream, status, attempts, runners):
        router.include_router(part.router)
    router.include_router(status.health_router)
    return router
