"""Refusals, and the one form in which every error leaves the service: RFC 9457 problem details."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from server.schemas import ProblemDetails

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"


class Refusal(Exception):
    """The service says no, in a way that programs (`code`) and people (`detail`: what to do) can act on."""

    def __init__(
        self, status: int, code: str, title: str, detail: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(f"{code}: {detail}")
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.headers = dict(headers or {})


def not_found(what: str, name: object) -> Refusal:
    """A 404 for a `what` called `name`; says the same whether it does not exist or must not be seen."""
    return Refusal(
        404, "not_found", f"No such {what}", f"There is no {what} {str(name)[:100]!r}, or it is not yours to see."
    )


def problem_response(refusal: Refusal, extra: Mapping[str, Any] | None = None) -> JSONResponse:
    """`refusal` as problem details, with members of `extra` beside the standard ones."""
    body = ProblemDetails(
        title=refusal.title, status=refusal.status, detail=refusal.detail, code=refusal.code
    ).model_dump()
    return JSONResponse(
        {**body, **(extra or {})}, status_code=refusal.status, headers=refusal.headers, media_type=MEDIA_TYPE
    )


def refusal_of(error: HTTPException) -> Refusal:
    """The refusal that says what the framework's `error` says."""
    phrase = HTTPStatus(error.status_code).phrase
    code = phrase.lower().replace(" ", "_").replace("-", "_").replace("'", "")
    details = {
        404: "There is nothing at this address. The API is described at /docs.",
        405: "This address does not take that method; see the Allow header and /docs.",
    }
    detail = details.get(error.status_code) if error.detail == phrase else None
    return Refusal(error.status_code, code, phrase, detail or str(error.detail), error.headers)


def refusal_of_validation(error: RequestValidationError) -> tuple[Refusal, dict[str, Any]]:
    """A 422 that names every bad field. What was sent is not repeated: it may hold a secret or a megabyte."""
    fields = [{"field": ".".join(str(part) for part in item["loc"]), "message": item["msg"]} for item in error.errors()]
    summary = "; ".join(f"{item['field']}: {item['message']}" for item in fields[:5])
    refusal = Refusal(422, "invalid_request", "Invalid request", summary or "The request is not valid.")
    return refusal, {"errors": jsonable_encoder(fields)}


def internal_refusal() -> Refusal:
    """What is said of a fault of ours; the log has the rest."""
    return Refusal(
        500, "internal_error", "Internal error", "This is our fault, not yours. It was logged; please try again."
    )


def install(app: FastAPI) -> None:
    """Make every error of `app` a problem details document."""

    @app.exception_handler(Refusal)
    async def refused(_request: Request, error: Refusal) -> JSONResponse:
        return problem_response(error)

    @app.exception_handler(HTTPException)
    async def framework(_request: Request, error: HTTPException) -> JSONResponse:
        return problem_response(refusal_of(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(_request: Request, error: RequestValidationError) -> JSONResponse:
        return problem_response(*refusal_of_validation(error))

    @app.exception_handler(Exception)
    async def crashed(request: Request, _error: Exception) -> JSONResponse:
        log.exception("unhandled exception", extra={"path": request.url.path})
        return problem_response(internal_refusal())
