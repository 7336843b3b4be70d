"""A small real HTTP server that speaks the REST contract and fails on demand.

`plan` lines up what goes wrong with the next requests to a path, e.g. ``[Refuse(503), Drop()]``; when it is used up the
service answers as it should.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections import defaultdict, deque
from dataclasses import dataclass, field
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "kc_right"


@dataclass(frozen=True)
class Drop:
    """Close the connection instead of answering; with `after_work`, do what was asked first."""

    after_work: bool = False


@dataclass(frozen=True)
class Refuse:
    """Answer with an error; `body` None is RFC 9457 problem details."""

    status: int
    retry_after: str | None = None
    body: bytes | None = None


@dataclass(frozen=True)
class Garbage:
    """Answer 200 with something else."""

    body: bytes = b"<html>hello</html>"
    content_type: str = "text/html"


@dataclass(frozen=True)
class Slow:
    """Answer after so many seconds."""

    seconds: float


@dataclass(frozen=True)
class Request:
    """What a client sent."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Streamed:
    """One connection's worth of an event stream: raw chunks, then close or hang."""

    chunks: list[bytes]
    hang_seconds: float = 0.0


def sse(event_id: int, kind: str, data: Any) -> bytes:
    """One event as the service writes it."""
    return f"id: {event_id}\nevent: {kind}\ndata: {json.dumps(data)}\n\n".encode()


def board(name: str = "vector_mean-cpu", **changed: Any) -> dict[str, Any]:
    return {
        "name": name, "problem": "basics/vector_mean", "title": "Vector mean", "device": "cpu", "opens_at": None,
        "closes_at": None, "is_open": True, "entries": 2, "queued": 0, "live_runners": 1, **changed,
    }  # fmt: skip


def run(**changed: Any) -> dict[str, Any]:
    return {
        "id": 70, "device": "cpu", "mode": "ranked", "state": "finished", "verdict": "passed", "decision": "clean",
        "fault": None, "message": "", "position": None, "eta_seconds": None, "waiting_reason": "", "attempts": 1,
        "queued_at": "2026-01-02T03:04:05Z", "started_at": None, "finished_at": None, "speedup": 1.84,
        "speedup_low": 1.8, "speedup_high": 1.88, "seconds": 1.2e-4, "noisy": False, "nonce": None, "cases": [],
        "findings": [], "environment": {}, "level": {}, "output": "", **changed,
    }  # fmt: skip


def case(**changed: Any) -> dict[str, Any]:
    return {
        "stage": "test", "index": 0, "label": "n: 5", "hidden": False, "status": "passed", "message": "",
        "error": 0.01, "timing": None, **changed,
    }  # fmt: skip


def timing(**changed: Any) -> dict[str, Any]:
    return {
        "pairs": 30, "calls": 1, "seconds": 1.2e-4, "anchor_seconds": 2.2e-4, "speedup": 1.84, "speedup_low": 1.8,
        "speedup_high": 1.88, "noisy": False, "resolution_seconds": 1e-6, "floor_seconds": 6e-5, "floor_share": 0.5,
        **changed,
    }  # fmt: skip


def submission(submission_id: int = 7, outcome: str = "ranked", **changed: Any) -> dict[str, Any]:
    return {
        "id": submission_id, "board": "vector_mean-cpu", "problem": "basics/vector_mean", "author": "ada",
        "mode": "ranked", "file_name": "kernel.py", "created_at": "2026-01-02T03:04:05Z", "outcome": outcome,
        "done": outcome not in ("queued", "running", "judged"), "next_step": "Do something.", "source": "x = 1\n",
        "runs": [run()], **changed,
    }  # fmt: skip


def problem() -> dict[str, Any]:
    shape = {"index": 0, "label": "n: 5", "params": {"n": 5, "family": "normal"}, "flops": 5.0, "bytes": 20.0}
    return {
        "slug": "basics/vector_mean", "title": "Vector mean", "digest": "d", "summary": "s", "statement": "# Mean\n",
        "tests": [shape], "benchmarks": [shape], "starters": {"pytorch.py": "import torch\n"}, "reference": "ref\n",
        "ranking_by": "geom", "boards": ["vector_mean-cpu"],
    }  # fmt: skip


@dataclass
class ContractService:
    """The service's state; `url` once it serves."""

    plan: dict[str, deque[Any]] = field(default_factory=lambda: defaultdict(deque))
    answers: dict[str, Any] = field(default_factory=dict)
    streams: deque[Streamed] = field(default_factory=deque)
    requests: list[Request] = field(default_factory=list)
    made: dict[str, dict[str, Any]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    url: str = ""

    def __post_init__(self) -> None:
        self.answers.update(
            {
                "/me": {"name": "ada", "is_admin": False},
                "/boards": [board()],
                "/boards/vector_mean-cpu": board(),
                "/problems": [problem()],
                "/problems/basics/vector_mean": problem(),
                "/queue": [{"device": "cpu", "queued": 3, "running": 1, "live_runners": 1}],
                "/submissions": [submission_row(7), submission_row(6, "wrong")],
                "/submissions/7": submission(),
                "/submissions/7/report": {"verdict": "passed"},
                "/submissions/7/cancel": submission(outcome="cancelled"),
            }
        )

    def fail(self, path: str, *how: Any) -> None:
        self.plan[path].extend(how)

    def paths(self) -> list[str]:
        return [f"{request.method} {request.path}" for request in self.requests]

    def to(self, path: str) -> list[Request]:
        return [request for request in self.requests if request.path == path]

    def __enter__(self) -> ContractService:
        service = self

        class Handler(_Handler):
            state = service

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that left, or were left, in the middle; standard error may be the test's."""
        if not isinstance(sys.exc_info()[1], (OSError, ValueError)):
            raise


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: ContractService

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        self._serve(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def _serve(self, body: bytes) -> None:
        path, _, query = self.path.removeprefix("/api/v1").partition("?")
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.state.lock:
            self.state.requests.append(Request(self.command, path, query, headers, body))
            how = self.state.plan[path].popleft() if self.state.plan[path] else None
        if isinstance(how, Drop):
            if how.after_work:
                self._answer_for(path, headers, body)
            self._hang_up()
        elif isinstance(how, Refuse):
            self._refuse(how)
        elif isinstance(how, Garbage):
            self._send(200, how.body, how.content_type)
        else:
            if isinstance(how, Slow):
                time.sleep(how.seconds)
            self._work(path, headers, body)

    def _work(self, path: str, headers: dict[str, str], body: bytes) -> None:
        if re.fullmatch(r"/submissions/\d+/events", path):
            self._stream()
            return
        status, answer = self._answer_for(path, headers, body)
        self._send(status, json.dumps(answer).encode(), "application/json")

    def _answer_for(self, path: str, headers: dict[str, str], body: bytes) -> tuple[int, Any]:
        needs_token = path.startswith(("/me", "/submissions")) and not re.fullmatch(r"/submissions/\d+", path)
        if needs_token and headers.get("authorization") != f"Bearer {TOKEN}":
            return 401, problem_details(401, "unauthorized", "Not signed in", "Send your token.")
        if path == "/submissions" and self.command == "POST":
            return self._submit(headers, body)
        if path == "/submissions":
            return 200, self.state.answers["/submissions"]
        if path not in self.state.answers:
            return 404, problem_details(404, "not_found", "Not found", f"There is nothing at {path!r}.")
        answer = self.state.answers[path]
        return 200, answer.popleft() if isinstance(answer, deque) and len(answer) > 1 else _only(answer)

    def _submit(self, headers: dict[str, str], body: bytes) -> tuple[int, Any]:
        form = message_from_bytes(b"Content-Type: " + headers["content-type"].encode() + b"\r\n\r\n" + body)
        parts = {
            str(part.get_param("name", header="content-disposition")): part.get_payload(decode=True)
            for part in form.get_payload()  # type: ignore[union-attr]
        }
        name = parts["board"].decode()  # type: ignore[union-attr]
        if f"/boards/{name}" not in self.state.answers:
            return 404, problem_details(404, "not_found", "No such board", f"There is no board {name!r}.")
        key = headers["idempotency-key"]
        with self.state.lock:
            known = key in self.state.made
            mode = parts["mode"].decode()  # type: ignore[union-attr]
            made = self.state.made.setdefault(
                key, submission(7, "queued", mode=mode, board=name, runs=[run(state="queued", position=2)])
            )
            made.setdefault("_source", parts["file"].decode())  # type: ignore[union-attr]
        return 200 if known else 201, made

    def _stream(self) -> None:
        streamed = self.state.streams.popleft() if self.state.streams else Streamed([sse(9, "end", {})])
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for chunk in streamed.chunks:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            self.wfile.flush()
        time.sleep(streamed.hang_seconds)
        self._hang_up()

    def _refuse(self, how: Refuse) -> None:
        body = how.body
        if body is None:
            body = json.dumps(problem_details(how.status, "some_code", "Some title", "Some detail.")).encode()
        headers = {"Retry-After": how.retry_after} if how.retry_after is not None else {}
        self._send(how.status, body, "application/problem+json", headers)

    def _send(self, status: int, body: bytes, content_type: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": content_type, **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.close()


def problem_details(status: int, code: str, title: str, detail: str) -> dict[str, Any]:
    return {"type": "about:blank", "title": title, "status": status, "detail": detail, "code": code}


def submission_row(submission_id: int, outcome: str = "ranked") -> dict[str, Any]:
    return {
        "id": submission_id, "board": "vector_mean-cpu", "mode": "ranked", "file_name": "kernel.py",
        "created_at": "2026-01-02T03:04:05Z", "outcome": outcome, "done": True, "speedup": 1.5,
    }  # fmt: skip


def _only(answer: Any) -> Any:
    return answer[0] if isinstance(answer, deque) else answer
