"""One log line a request, and an id that both the line and the answer carry."""

from __future__ import annotations

import logging
import re
import secrets
import time

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.logs import request_id

log = logging.getLogger(__name__)

QUIET = ("/health", "/api/v1/health", "/static")
GIVEN_ID = re.compile(rb"[A-Za-z0-9-]{8,64}")


class AccessLog:
    """Logs every request with method, path, status and milliseconds; adds ``X-Request-ID`` and ``nosniff``."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and log how it went."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = dict(scope["headers"]).get(b"x-request-id", b"")
        identifier = given.decode() if GIVEN_ID.fullmatch(given) else secrets.token_hex(8)
        token = request_id.set(identifier)
        began, status = time.monotonic(), 0

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = identifier
                headers.setdefault("X-Content-Type-Options", "nosniff")
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            path = scope["path"]
            log.log(
                logging.DEBUG if path.startswith(QUIET) else logging.INFO,
                "request",
                extra={
                    "method": scope["method"],
                    "path": path,
                    "status": status,
                    "milliseconds": round(1000 * (time.monotonic() - began), 1),
                },
            )
            request_id.reset(token)
