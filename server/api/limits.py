"""A bound on request bodies, before anything reads them into memory."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.errors import Refusal, problem_response

KILO, MEGA = 1 << 10, 1 << 20
REPORT_BYTES = 64 * MEGA
OTHER_BYTES = 1 * MEGA


class BodyTooLarge(Exception):
    """The body has outgrown its bound while it was read."""


class BodyLimit:
    """Answers 413 to a body that is larger than its path allows, by its declared or its real size."""

    def __init__(self, app: ASGIApp, submission_bytes: int) -> None:
        self._app = app
        # JSON may escape every byte as \\u00xx; the exact limit is checked on the decoded source.
        self._submission_bytes = 6 * submission_bytes + 64 * KILO

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with a counted body."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = self._bound(scope["path"])
        declared = dict(scope["headers"]).get(b"content-length", b"")
        if declared.isdigit() and int(declared) > most:
            await self._refuse(most)(scope, receive, send)
            return
        taken = 0
        started = False

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > most:
                raise BodyTooLarge
            return message

        async def noted(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, counted, noted)
        except BodyTooLarge:
            if started:
                raise
            await self._refuse(most)(scope, receive, send)

    def _bound(self, path: str) -> int:
        if path.rstrip("/").endswith(("/submissions", "/submit")):
            return self._submission_bytes
        return REPORT_BYTES if path.endswith("/report") else OTHER_BYTES

    def _refuse(self, most: int) -> ASGIApp:
        return problem_response(
            Refusal(413, "too_large", "Request too large", f"The request's body may have at most {most} bytes.")
        )
