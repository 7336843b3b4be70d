"""``kernelcup demo``: a service of its own, honest kernels and cheats sent to it, and what came of them."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import httpx
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from server.db import engine_for, session_factory, session_scope
from server.embedded.accounts import give_token, shorten_boards
from server.embedded.entries import Entry, examples_folder, read_entries
from server.embedded.home import Home
from server.embedded.process import Child, Program, describe_exit, log_tail
from server.embedded.show import Line, board_table, cells, outcome_table
from server.settings import Settings

START_SECONDS = 90.0
POLL_SECONDS = 1.0
# The demo shows the whole path, not the finest figures: a case is timed for this long at most.
CASE_SECONDS = 0.5
RUN_SECONDS = 600.0


class DemoError(RuntimeError):
    """The demo could not be shown; the message says why."""


def run_demo(console: Console, *, stay: bool, data_dir: Path | None, port: int) -> int:
    """Show the demo. With `stay` the service goes on until Ctrl-C.

    Returns 0 if every outcome was the expected one, else 1.
    Raises DemoError if the service does not start or stops.
    """
    entries = read_entries(examples_folder())
    with _home(data_dir) as home, _service(home, port) as service:
        with console.status("Starting the service"):
            url = _wait_for_url(home, service)
        tokens = _prepare(home, entries)
        lines = [Line(entry) for entry in entries]
        console.print(f"{len(entries)} kernels go to {url}; the names of the cheats are in magenta.")
        with _clients(url, tokens) as clients:
            _submit(lines, clients)
            _follow(lines, clients, console, service)
            _summary(lines, next(iter(clients.values())), console)
        console.print(f"The boards are at {url}")
        if stay:
            own = f"KERNELCUP_DATA_DIR={home.root} kernelcup submit FILE --board vector_mean-cpu --wait"
            console.print("Submit a kernel of your own:", Text(own, style="bold"))
            console.print("Ctrl-C ends the demo.")
            _serve_on(service)
    return 0 if all(line.as_expected for line in lines) else 1


@contextlib.contextmanager
def _home(data_dir: Path | None) -> Iterator[Home]:
    """The data directory: `data_dir`, kept, or a temporary one, removed at the end."""
    if data_dir is not None:
        yield Home.at(data_dir)
        return
    folder = Path(tempfile.mkdtemp(prefix="kernelcup-demo-"))
    try:
        yield Home.at(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _service(home: Home, port: int) -> Iterator[Child]:
    """The supervisor as a child that ends with this process, however that ends."""
    command = [sys.executable, "-m", "server.embedded", str(home.root), "--port", str(port)]
    child = Child(Program("supervisor", command, dict(os.environ), home.log("supervisor"), stop_seconds=20.0))
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    # Before anything of the console has made a thread: forking is for processes that have one.
    child.start()
    try:
        yield child
    finally:
        child.stop()


def _wait_for_url(home: Home, service: Child) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if home.url_file.exists():
            return home.url_file.read_text().strip()
        _check(service)
        time.sleep(0.1)
    raise DemoError(f"the service was not ready after {START_SECONDS:.0f} s; see {home.root / 'logs'}")


def _check(service: Child) -> None:
    """Raise DemoError if the supervisor has ended."""
    if service.process is not None and (status := service.process.poll()) is not None:
        raise DemoError(f"the service ended ({describe_exit(status)}):\n{log_tail(service.program.log)}")


def _prepare(home: Home, entries: Sequence[Entry]) -> dict[str, str]:
    """Tokens of the demo's authors by name; the boards are made quick."""
    settings = Settings(mode="embedded", data_dir=home.root)
    engine = engine_for(settings.database_url)
    try:
        with session_scope(session_factory(engine)) as session:
            shorten_boards(session, {entry.board for entry in entries}, CASE_SECONDS)
            return {name: give_token(session, name, "demo") for name in sorted({e.author for e in entries})}
    finally:
        engine.dispose()


@contextlib.contextmanager
def _clients(url: str, tokens: dict[str, str]) -> Iterator[dict[str, httpx.Client]]:
    """An HTTP client for each author."""
    with contextlib.ExitStack() as stack:
        yield {
            name: stack.enter_context(
                httpx.Client(base_url=f"{url}/api/v1", headers={"Authorization": f"Bearer {token}"}, timeout=30.0)
            )
            for name, token in tokens.items()
        }


def _submit(lines: Sequence[Line], clients: dict[str, httpx.Client]) -> None:
    for line in lines:
        entry = line.entry
        answer = clients[entry.author].post(
            "/submissions",
            data={"board": entry.board, "mode": "ranked"},
            files={"file": (entry.path.name, entry.path.read_bytes(), "text/x-python")},
        )
        if answer.status_code != httpx.codes.CREATED:
            raise DemoError(f"{entry.path.name} was refused: {answer.json().get('detail', answer.text)}")
        line.submission = answer.json()


def _follow(lines: Sequence[Line], clients: dict[str, httpx.Client], console: Console, service: Child) -> None:
    """Follow all submissions to their ends: a live table in a terminal, else a line for each end."""
    deadline = time.monotonic() + RUN_SECONDS
    table = Live(outcome_table(lines), console=console, auto_refresh=False, transient=True)
    with table if console.is_terminal else contextlib.nullcontext():
        while not all(line.done for line in lines):
            if time.monotonic() > deadline:
                raise DemoError(f"some submissions had no outcome after {RUN_SECONDS:.0f} s")
            time.sleep(POLL_SECONDS)
            _check(service)
            for line in lines:
                if not line.done and _refresh(line, clients) and not console.is_terminal:
                    console.print(Text("  ").join(cells(line)), soft_wrap=True)
            if console.is_terminal:
                table.update(outcome_table(lines), refresh=True)


def _refresh(line: Line, clients: dict[str, httpx.Client]) -> bool:
    """Ask for the submission's state; returns whether it has ended."""
    assert line.submission is not None  # noqa: S101 - submitted before it is followed
    with contextlib.suppress(httpx.TransportError):
        answer = clients[line.entry.author].get(f"/submissions/{line.submission['id']}")
        if answer.is_success:
            line.submission = answer.json()
    return line.done


def _summary(lines: Sequence[Line], client: httpx.Client, console: Console) -> None:
    boards = [board_table(client.get(f"/boards/{name}/rows").json()) for name in sorted({x.entry.board for x in lines})]
    console.print(Group(outcome_table(lines, whole=True), *boards))
    good = sum(line.as_expected for line in lines)
    console.print(f"{good} of {len(lines)} outcomes as expected.")


def _serve_on(service: Child) -> None:
    with contextlib.suppress(KeyboardInterrupt):
        while True:
            _check(service)
            time.sleep(0.5)
