"""Starts and watches everything that one machine needs to be a whole KernelCup.

Started in this order: Valkey; once, migrations, problems and the local user; the API; control, guard and
beat; a CPU runner. A child that ends is started again with back-off; all of them end with the supervisor,
however it ends. The supervisor has one thread, because the kernel ties the children's parent-death signal to
the thread that forked them.
"""

from __future__ import annotations

import contextlib
import errno
import http.client
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from server.embedded import broker
from server.embedded.home import Home, write_private
from server.embedded.process import Child, Program, describe_exit, log_tail
from server.settings import stored_secrets

DEFAULT_PORT = 8321
READY_SECONDS = 60.0
TICK_SECONDS = 0.1
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class StartError(RuntimeError):
    """The service did not come up; the message holds the end of the log that says why."""


class Stopped(Exception):
    """A stop signal arrived while starting."""


@dataclass(frozen=True)
class Options:
    """How to run. `port` 0 takes any free one; a default port that is taken gives way to a free one."""

    data_dir: Path
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    runner: bool = True
    tell: Callable[[str], None] = field(default=print)


def bind(host: str, port: int) -> socket.socket:
    """A listening socket on `port`, or on any free port when that one is taken."""
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        if error.errno != errno.EADDRINUSE or port == 0:
            raise
        listener.bind((host, 0))
    listener.listen(256)
    return listener


def reachable(host: str) -> str:
    """The address under which this machine reaches a listener on `host`, ready for a URL."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound
    return f"[{host}]" if ":" in host else host


class Supervisor:
    """The children of one embedded service. Use :meth:`run`; only from the main thread."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.home = Home.at(options.data_dir)
        self._children: list[Child] = []

    def run(self) -> int:
        """Start everything, serve until a stop signal, stop everything. Returns the exit status.

        Raises AlreadyRunningError, NoBrokerError or StartError.
        """
        with self.home.lock(), _held_signals(), bind(self.options.host, self.options.port) as listener:
            try:
                self._start(listener)
                self._watch()
            except Stopped:
                pass
            finally:
                self._stop()
        return 0

    def _start(self, listener: socket.socket) -> None:
        port = listener.getsockname()[1]
        url = f"http://{reachable(self.options.host)}:{port}"
        env = self._environment(url)
        self.home.socket.unlink(missing_ok=True)
        self._add("valkey", broker.command(self.home.socket), env)
        self._until("valkey", lambda: broker.answers(self.home.socket))
        self._prepare(env)
        api = [sys.executable, "-m", "server.embedded.api", str(listener.fileno())]
        self._add("api", api, env, pass_fds=(listener.fileno(),))
        for name, command in worker_commands(self.home, runner=self.options.runner).items():
            self._add(name, command, env)
        self._until("api", lambda: _get_json(url, "/health") is not None)
        if self.options.runner:
            self._until("runner-cpu", lambda: _has_runner(url))
        write_private(self.home.url_file, url)
        self._greet(url)

    def _environment(self, url: str) -> dict[str, str]:
        secrets = stored_secrets(self.home.root)
        return {
            **os.environ,
            "PYTHONUNBUFFERED": "1",
            "KERNELCUP_MODE": "embedded",
            "KERNELCUP_DATA_DIR": str(self.home.root),
            "KERNELCUP_BROKER_URL": broker.url(self.home.socket),
            "KERNELCUP_SECRET_KEY": secrets["secret_key"],
            "KERNELCUP_RUNNER_KEY": secrets["runner_key"],
            "KERNELCUP_PUBLIC_URL": os.environ.get("KERNELCUP_PUBLIC_URL", url),
            "KERNELCUP_API_URL": url,
        }

    def _add(self, name: str, command: list[str], env: dict[str, str], pass_fds: tuple[int, ...] = ()) -> None:
        child = Child(Program(name, command, env, self.home.log(name), pass_fds))
        child.start()
        self._children.append(child)

    def _prepare(self, env: dict[str, str]) -> None:
        """Migrations, problems and the local user, in a process of its own that may take its time once."""
        once = Child(
            Program("prepare", [sys.executable, "-m", "server.embedded.prepare"], env, self.home.log("prepare"))
        )
        process = once.start()
        try:
            while process.poll() is None:
                self._tick()
        finally:
            once.stop()
        if process.returncode != 0:
            raise StartError(self._failure("prepare", describe_exit(process.returncode)))

    def _until(self, name: str, ready: Callable[[], bool]) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while not ready():
            if time.monotonic() > deadline:
                raise StartError(self._failure(name, f"not ready after {READY_SECONDS:.0f} s"))
            self._tick()

    def _failure(self, name: str, what: str) -> str:
        log = self.home.log(name)
        return f"{name} did not start: {what}. The end of {log}:\n{log_tail(log)}"

    def _watch(self) -> None:
        while True:
            self._tick()

    def _tick(self) -> None:
        """Wait a moment, or for a signal; then tend the children."""
        arrived = signal.sigtimedwait({*STOP_SIGNALS, signal.SIGCHLD}, TICK_SECONDS)
        if arrived is not None and arrived.si_signo in STOP_SIGNALS:
            raise Stopped
        for child in self._children:
            if news := child.tend():
                self.options.tell(news)

    def _stop(self) -> None:
        """Stop all children, latest first, so that whoever still talks finds someone to talk to."""
        self.home.url_file.unlink(missing_ok=True)
        for child in reversed(self._children):
            if child.process is not None:
                with contextlib.suppress(ProcessLookupError):
                    child.process.terminate()
        for child in reversed(self._children):
            child.stop()
        self._children.clear()

    def _greet(self, url: str) -> None:
        token = self.home.token_file.read_text().strip()
        self.options.tell(f"KernelCup serves at {url}  (Ctrl-C stops it; logs in {self.home.root / 'logs'})")
        self.options.tell(f"Your token, also in {self.home.token_file}: {token}")


def worker_commands(home: Home, *, runner: bool = True) -> dict[str, list[str]]:
    """The Celery processes by name: the same programs as in production, one process each."""
    celery = [sys.executable, "-m", "celery"]
    worker = ["worker", "--pool", "solo", "--loglevel", "INFO", "--without-gossip", "--without-mingle"]
    commands = {
        "control": [*celery, "-A", "server.celery_app", *worker, "-Q", "control", "-n", "control@embedded"],
        "guard": [*celery, "-A", "server.celery_app", *worker, "-Q", "guard", "-n", "guard@embedded"],
        "beat": [
            *celery, "-A", "server.celery_app", "beat", "--loglevel", "WARNING",
            "--schedule", str(home.root / "beat-schedule"), "--pidfile=",
        ],
    }  # fmt: skip
    if runner:
        commands["runner-cpu"] = [
            *celery, "-A", "runners.worker", *worker, "-Q", "device.cpu", "-n", "runner-cpu@embedded",
        ]  # fmt: skip
    return commands


@contextlib.contextmanager
def _held_signals() -> Iterator[None]:
    """Hold stop signals back so that they are only ever taken by :meth:`Supervisor._tick`."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {*STOP_SIGNALS, signal.SIGCHLD})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _get_json(url: str, path: str) -> object | None:
    """The JSON that the API at `url` answers with, None while it does not."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=0.5)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return json.loads(response.read()) if response.status == http.HTTPStatus.OK else None
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()


def _has_runner(url: str) -> bool:
    queues = _get_json(url, "/api/v1/queue")
    return isinstance(queues, list) and any(queue["live_runners"] for queue in queues)
