"""The requests of the REST API, each with how its answer is read. The only I/O is reading a kernel's file."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx

from clients import results
from clients.decode import DecodeError, decode
from clients.errors import AnswerError, ApiError

T = TypeVar("T")
K = TypeVar("K")

PREFIX = "/api/v1"


@dataclass(frozen=True)
class Call(Generic[T]):
    """One request, safe to send again: a GET, a cancellation, or a POST with an idempotency key."""

    method: str
    path: str
    read: Callable[[Any], T]
    params: Mapping[str, str | int] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] | None = None
    file: tuple[str, bytes] | None = None
    patience: float | None = None  # seconds to wait for bytes, where not the client's own

    def build(self, client: httpx.Client | httpx.AsyncClient) -> httpx.Request:
        """The request that `client` would send."""
        files = {"file": (self.file[0], self.file[1], "text/x-python")} if self.file else None
        timeout = client.timeout
        if self.patience is not None:
            timeout = httpx.Timeout(connect=timeout.connect, read=self.patience, write=timeout.write, pool=timeout.pool)
        return client.build_request(
            self.method,
            PREFIX + self.path,
            params=self.params,
            headers=self.headers,
            data=self.form,
            files=files,
            timeout=timeout,
        )

    def answer(self, response: httpx.Response) -> T:
        """What `response`, whose body has been read, says; raises ApiError or AnswerError."""
        if not response.is_success:
            raise refusal(response)
        try:
            return self.read(json.loads(response.content))
        except (DecodeError, ValueError, RecursionError) as error:
            raise bad_answer(response, str(error)) from None


def user_agent() -> str:
    """How the clients call themselves."""
    return f"kernelcup/{installed_version()}"


def installed_version() -> str:
    """The version of the installed distribution."""
    try:
        return version("kernelcup")
    except PackageNotFoundError:
        return "0+unknown"


def base_url(url: str) -> str:
    """`url` without a trailing slash or API prefix; raises ValueError if it is not http or https."""
    try:
        parsed = httpx.URL(url.strip())
    except httpx.InvalidURL as error:
        raise ValueError(f"{url!r} is not a URL: {error}") from None
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ValueError(f"{url!r} is not a service's URL: it must look like https://cup.example.org")
    if parsed.userinfo or parsed.query or parsed.fragment:
        raise ValueError("a service's URL holds no user name, query or fragment: give the token by itself")
    return str(parsed).rstrip("/").removesuffix(PREFIX)


def checked_token(token: str) -> str:
    """`token` without surrounding space; raises ValueError if it could not travel in a header."""
    token = token.strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise ValueError("that is not a token: it is one word, as the service printed it, starting with kc_")
    return token


def is_loopback(url: str) -> bool:
    """Whether `url` is this machine, which no proxy can reach for us."""
    host = httpx.URL(url).host
    return host == "localhost" or host == "::1" or host.startswith("127.")


def refusal(response: httpx.Response) -> ApiError:
    """The error that a response without success stands for, also where no RFC 9457 body came with it."""
    title = response.reason_phrase or "Error"
    if response.is_redirect:
        where = response.headers.get("location", "elsewhere")
        return ApiError(response.status_code, "moved", title, f"the service is at {where}: use that URL")
    try:
        body = json.loads(response.content)
    except (ValueError, RecursionError):
        body = {}
    body = body if isinstance(body, dict) else {}
    detail = body.get("detail", "")
    return ApiError(
        response.status_code,
        str(body.get("code", "")),
        str(body.get("title", title)),
        detail if isinstance(detail, str) else json.dumps(detail),
        retry_after=retry_after(response),
    )


def bad_answer(response: httpx.Response, why: str) -> AnswerError:
    """The error for a response that is no answer of the API."""
    return AnswerError(
        f"{response.request.url} answered with something that is not KernelCup's API ({why}): check the URL"
    )


def retry_after(response: httpx.Response) -> float | None:
    """The seconds that `Retry-After` asks for; None where it says nothing, or a date, which we never send."""
    try:
        seconds = float(response.headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _one(kind: type[K]) -> Callable[[Any], K]:
    return partial(decode, kind)


def _many(kind: type[K]) -> Callable[[Any], tuple[K, ...]]:
    def read(value: Any) -> tuple[K, ...]:
        if not isinstance(value, list):
            raise DecodeError("expected a list")
        return tuple(decode(kind, item) for item in value)

    return read


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise DecodeError("expected an object")
    return value


def me() -> Call[results.Me]:
    """Who the token belongs to."""
    return Call("GET", "/me", _one(results.Me))


def problems() -> Call[tuple[results.Problem, ...]]:
    """All problems."""
    return Call("GET", "/problems", _many(results.Problem))


def problem(slug: str) -> Call[results.Problem]:
    """One problem, by its slug ``set/name``."""
    return Call("GET", f"/problems/{quote(slug)}", _one(results.Problem))


def boards() -> Call[tuple[results.Board, ...]]:
    """All boards."""
    return Call("GET", "/boards", _many(results.Board))


def board(name: str) -> Call[results.Board]:
    """One board."""
    return Call("GET", f"/boards/{quote(name, safe='')}", _one(results.Board))


def rows(name: str) -> Call[results.BoardRows]:
    """A board's standings."""
    return Call("GET", f"/boards/{quote(name, safe='')}/rows", _one(results.BoardRows))


def submit(
    source: str | bytes | Path,
    *,
    board: str,
    mode: str = "ranked",
    file_name: str | None = None,
    idempotency_key: str | None = None,
) -> Call[results.Submission]:
    """A submission of `source`: text, bytes, or the path of a file, which gives `file_name` too.

    Without `idempotency_key` a fresh one is made, so that sending the call again never submits twice.
    """
    if isinstance(source, Path):
        file_name = file_name or source.name
        source = source.read_bytes()
    if isinstance(source, str) and re.fullmatch(r"\S+\.py", source):
        raise ValueError(f"{source!r} is a path, not a kernel's source: give pathlib.Path({source!r})")
    content = source.encode() if isinstance(source, str) else source
    return Call(
        "POST",
        "/submissions",
        _one(results.Submission),
        headers={"Idempotency-Key": idempotency_key or uuid.uuid4().hex},
        form={"board": board, "mode": mode},
        file=(file_name or "submission.py", content),
    )


def submission(submission_id: int) -> Call[results.Submission]:
    """One submission with its runs."""
    return Call("GET", f"/submissions/{submission_id:d}", _one(results.Submission))


def submissions(limit: int | None = None, before: int | None = None) -> Call[tuple[results.SubmissionRow, ...]]:
    """The caller's submissions, newest first, from below id `before`."""
    params = {name: value for name, value in (("limit", limit), ("before", before)) if value is not None}
    return Call("GET", "/submissions", _many(results.SubmissionRow), params=params)


def cancel(submission_id: int) -> Call[results.Submission | None]:
    """Withdraw a submission that is not done; the service may answer with it or with nothing of note."""

    def read(value: Any) -> results.Submission | None:
        return decode(results.Submission, value) if isinstance(value, dict) and "outcome" in value else None

    return Call("POST", f"/submissions/{submission_id:d}/cancel", read)


def report(submission_id: int) -> Call[dict[str, Any]]:
    """The judge's raw report, samples included."""
    return Call("GET", f"/submissions/{submission_id:d}/report", _object)


def queue() -> Call[tuple[results.Queue, ...]]:
    """Each device's queue."""
    return Call("GET", "/queue", _many(results.Queue))
