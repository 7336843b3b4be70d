"""HTML error pages for browsers; everything under /api/ keeps the API's own problem+json."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import cast

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from server.errors import Refusal
from web.headers import PAGE_HEADERS
from web.templating import html

Handler = Callable[[Request, Exception], Response | Awaitable[Response]]

_ADVICE = {
    401: "Log in, then try again.",
    403: "Log in with an account that may see it, or go back to the boards.",
    404: "The address may be mistyped, or what it named is gone. The boards list what there is.",
    405: "Go back and use the page's own buttons.",
    413: "Send a smaller file.",
    422: "Check the address, or go back and correct the form.",
    429: "Wait a little, then try again.",
    500: "It is our fault, not yours. Try again in a moment; if it stays so, tell the organisers.",
}


def is_api(path: str) -> bool:
    """Whether `path` belongs to programs, which get problem+json."""
    return path.startswith("/api/") or path in ("/api", "/health")


def error_page(status: int, title: str, detail: str, headers: dict[str, str] | None = None) -> HTMLResponse:
    """The page for an error: what happened and what to do."""
    text = html(
        "error.html",
        user=None,
        csrf_token="",
        here="/",
        path="",
        status=status,
        title=title,
        detail=detail,
        advice=_ADVICE.get(status, _ADVICE[500] if status >= 500 else ""),
    )
    return HTMLResponse(text, status_code=status, headers={**(headers or {}), **PAGE_HEADERS})


def _of_refusal(error: Exception) -> HTMLResponse:
    refusal = cast(Refusal, error)
    return error_page(refusal.status, refusal.title, refusal.detail, refusal.headers)


def _of_http(error: Exception) -> HTMLResponse:
    refused = cast(HTTPException, error)
    title = HTTPStatus(refused.status_code).phrase
    detail = refused.detail if refused.detail != title else ""
    return error_page(refused.status_code, title, detail, dict(refused.headers or {}))


def _of_validation(_error: Exception) -> HTMLResponse:
    return error_page(422, "That is not a valid request", "A part of the address or of the form has the wrong form.")


def _of_crash(_error: Exception) -> HTMLResponse:
    return error_page(500, "Something broke on our side", "")


def register(app: FastAPI) -> None:
    """Render errors as pages outside /api/; the handlers that `app` has already keep /api/.

    Where `app` has no handler of its own for a kind of error, FastAPI's stays in charge of /api/.
    """
    for kind, page in (
        (Refusal, _of_refusal),
        (HTTPException, _of_http),
        (RequestValidationError, _of_validation),
        (Exception, _of_crash),
    ):
        app.add_exception_handler(kind, _delegating(page, app.exception_handlers.get(kind)))


def _delegating(page: Callable[[Exception], HTMLResponse], before: Handler | None) -> Handler:
    async def handle(request: Request, error: Exception) -> Response:
        if not is_api(request.url.path):
            return page(error)
        if before is None:
            raise error
        answer = before(request, error)
        return await answer if isinstance(answer, Awaitable) else answer

    return handle
