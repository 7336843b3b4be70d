"""A child process that cannot outlive us: started, watched, restarted, stopped."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

PR_SET_PDEATHSIG = 1
FIRST_BACKOFF_SECONDS = 0.2
LONGEST_BACKOFF_SECONDS = 10.0
STEADY_SECONDS = 10.0
LOG_ROTATE_BYTES = 8 << 20

_libc = ctypes.CDLL(None, use_errno=True)


def dies_with_parent() -> Callable[[], None]:
    """What a child must call between fork and exec so that it is killed when its parent is.

    The parent's id is taken before the fork and compared after the request, so a parent that dies in between
    is noticed too. The kernel ties the signal to the thread that forks: start children from the main thread.
    """
    parent = os.getpid()

    def tether() -> None:
        if _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0 or os.getppid() != parent:
            os._exit(127)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])

    return tether


@dataclass(frozen=True)
class Program:
    """What to run. `pass_fds` survive the exec under the same numbers."""

    name: str
    command: Sequence[str]
    env: Mapping[str, str]
    log: Path
    pass_fds: Sequence[int] = ()
    stop_seconds: float = 5.0


@dataclass
class Child:
    """One program and the process that runs it now. Not for use from several threads."""

    program: Program
    process: subprocess.Popen[bytes] | None = None
    restarts: int = -1
    _started_at: float = 0.0
    _not_before: float = 0.0
    _backoff: float = field(default=FIRST_BACKOFF_SECONDS)

    @property
    def pid(self) -> int | None:
        """The process id while it runs."""
        return self.process.pid if self.process is not None and self.process.poll() is None else None

    def start(self) -> subprocess.Popen[bytes]:
        """Start the program now, in a session of its own, tethered to this process."""
        with open_log(self.program.log) as log:
            process = self.process = subprocess.Popen(
                list(self.program.command),
                env=dict(self.program.env),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=tuple(self.program.pass_fds),
                start_new_session=True,
                preexec_fn=dies_with_parent(),
            )
        self.restarts += 1
        self._started_at = time.monotonic()
        return process

    def tend(self) -> str:
        """Restart the process if it has ended and its back-off is over.

        Returns what happened, in words, or an empty string.
        """
        now = time.monotonic()
        if self.process is not None:
            if (status := self.process.poll()) is None:
                return ""
            if now - self._started_at >= STEADY_SECONDS:
                self._backoff = FIRST_BACKOFF_SECONDS
            self.process = None
            self._not_before = now + self._backoff
            news = f"{self.program.name} ended ({describe_exit(status)}), restarting in {self._backoff:.1f} s"
            self._backoff = min(self._backoff * 2, LONGEST_BACKOFF_SECONDS)
            return news
        if now >= self._not_before:
            self.start()
        return ""

    def stop(self) -> None:
        """Ask the process to end, then make it. Returns once it is gone."""
        process, self.process = self.process, None
        if process is None or process.poll() is not None:
            return
        process.terminate()
        try:
            process.wait(self.program.stop_seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def describe_exit(status: int) -> str:
    """A Popen return code in words."""
    return f"signal {signal.Signals(-status).name}" if status < 0 else f"status {status}"


def open_log(path: Path) -> IO[bytes]:
    """Open `path` for appending; a long log is moved aside to ``<name>.1`` first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > LOG_ROTATE_BYTES:
        path.replace(path.with_suffix(path.suffix + ".1"))
    return path.open("ab")


def log_tail(path: Path, lines: int = 15) -> str:
    """The last lines of a log, for an error message."""
    try:
        return "\n".join(path.read_text(errors="replace").splitlines()[-lines:])
    except OSError:
        return ""
