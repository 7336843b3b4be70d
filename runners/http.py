"""The runner's HTTP client: what it may ask of the service, and the few ways an answer can go wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from runners.protocol import CaseSpec, Event, Limits, Mode, decode, encode

CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 30.0
TRANSIENT = (408, 425, 429)


class Unreachable(Exception):
    """No answer, or one that asks to come again: trying later may help."""


class AttemptOver(Exception):
    """The attempt was started, given up or cancelled before: the job is to be dropped."""


class Refused(Exception):
    """The service will not have it, however often it is asked."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(f"{status}: {detail}")
        self.status = status


@dataclass(frozen=True)
class Start:
    """What the service hands out when an attempt starts: a Brief without the path."""

    mode: Mode
    source: str
    file_name: str
    nonce: str
    hidden: tuple[CaseSpec, ...]
    limits: Limits
    problem: str
    problem_digest: str


@dataclass(frozen=True)
class Pulse:
    """The answer to a heartbeat."""

    cancel: bool
    lost: bool


def http_client() -> httpx.Client:
    """A client for one service, used by a few threads."""
    return httpx.Client(timeout=httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS))


def ask(client: httpx.Client, method: str, url: str, token: str, body: Any = None) -> httpx.Response:
    """One request. Raises Unreachable, AttemptOver or Refused."""
    headers = {"Authorization": f"Bearer {token}"}
    try:
        response = client.request(method, url, headers=headers, json=body)
    except httpx.TransportError as error:
        raise Unreachable(f"{method} {url}: {error!r}") from error
    if response.is_success:
        return response
    if response.status_code >= 500 or response.status_code in TRANSIENT:
        raise Unreachable(f"{method} {url}: status {response.status_code}")
    if response.status_code == 409:
        raise AttemptOver(response.text[:500])
    raise Refused(response.status_code, response.text[:500])


class AttemptClient:
    """What the holder of an attempt's token may ask."""

    def __init__(self, client: httpx.Client, api_url: str, attempt_id: int, token: str) -> None:
        self._client = client
        self._api = f"{api_url}/api/v1"
        self._attempt = f"{self._api}/attempts/{attempt_id}"
        self._token = token

    def _put(self, what: str, body: Any = None) -> Any:
        return ask(self._client, "PUT", f"{self._attempt}/{what}", self._token, body).json()

    def start(self, runner: str) -> Start:
        """Begin. Raises AttemptOver if somebody else did, or the author cancelled."""
        return decode(Start, self._put("start", {"runner": runner}))

    def heartbeat(self) -> Pulse:
        """Keep the lease."""
        return decode(Pulse, self._put("heartbeat"))

    def events(self, events: Sequence[Event]) -> None:
        """Tell progress."""
        self._put("events", {"events": [encode(event) for event in events]})

    def report(self, report: Any) -> bool:
        """Deliver the report (as `encode` made it). Whether it counted."""
        return bool(self._put("report", report)["recorded"])

    def cancelled(self) -> None:
        """Say that judging has stopped because a heartbeat asked for it."""
        self._put("cancelled")

    def package(self, digest: str) -> bytes:
        """The problem package with this digest."""
        return ask(self._client, "GET", f"{self._api}/packages/{digest}", self._token).content


def put_runner(client: httpx.Client, api_url: str, name: str, key: str, body: Mapping[str, Any]) -> float:
    """Say that this runner is there; how many seconds later to say it again."""
    answer = ask(client, "PUT", f"{api_url}/api/v1/runners/{name}", key, dict(body)).json()
    return float(answer["heartbeat_seconds"])
