"""The client's side of the warm server: start it, ask it for judges, talk to them.

Imports nothing heavy: a command line that only wants a verdict pays for torch in the warm process, while it starts.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from types import TracebackType
from typing import Any, Self

from runners.sandbox.level import ALLOW_NO_MEMORY_CONTROL, Level
from runners.sandbox.wire import Channel

START_SECONDS = 120.0
FORK_SECONDS = 30.0
_END_SECONDS = 10.0
_MAX_REPLY = 1 << 16
_PASSED_ON = (
    "PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV",
    "TRITON_INTERPRET", "CUDA_HOME", "CUDA_VISIBLE_DEVICES", "KERNELCUP_SANDBOX_PATHS",
)  # fmt: skip
"""The warm process's first environment can be read by every contestant (/proc/self/environ): nothing secret in it."""


class WarmError(RuntimeError):
    """The warm process could not start or is gone: our fault."""


class HostUnfitError(WarmError):
    """This host may not run untrusted code; the message says why and what to do."""


class JudgeChannel(Channel):
    """The client's end of the line to a judge."""

    def __init__(self, sock: socket.socket, pid: int, pidfd: int) -> None:
        super().__init__(sock)
        self.pid = pid
        self._pidfd = pidfd

    def kill(self) -> None:
        """Kill the judge. Its cells die with it."""
        if self._pidfd >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def alive(self) -> bool:
        """Whether the judge's process has not ended."""
        return self._pidfd >= 0 and not _readable(self._pidfd, 0)

    def close(self) -> None:
        """Kill the judge if it still lives, and close the line."""
        self.kill()
        super().close()
        if self._pidfd >= 0:
            os.close(self._pidfd)
            self._pidfd = -1


class WarmServer:
    """A warm process, for as long as this object is open. Safe to use from several threads.

    `entry` ("module:function") is called in every judge with its :class:`runners.sandbox.wire.ServerChannel`;
    `preload` are the modules that the warm process imports once. `allow_no_memory_control` is for code that you
    trust, on hosts where memory cannot be limited. The process starts at once and gets ready in the background.
    """

    def __init__(
        self,
        entry: str = "runners.judge.main:serve",
        preload: tuple[str, ...] = ("numpy", "torch", "problems.loader", "runners.judge.main"),
        allow_no_memory_control: bool = False,
    ) -> None:
        self._lock = threading.Lock()
        self._level: Level | None = None
        self._closed = False
        self._sock, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
            environment |= {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
            if allow_no_memory_control:
                environment[ALLOW_NO_MEMORY_CONTROL] = "1"
            # Death of the starting thread would be taken for death of this process, unless it is the main one.
            tied = threading.current_thread() is threading.main_thread()
            command = [sys.executable, "-m", "runners.sandbox.warm_process", str(theirs.fileno()), entry]
            command += [str(os.getpid()) if tied else "0", *preload]
            environment["PYTHONPATH"] = os.pathsep.join(_import_path())
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=2,
                pass_fds=(theirs.fileno(),),
                env=environment,
                start_new_session=True,
            )

    def level(self) -> Level:
        """What the host can do, as the warm process found. Waits until that is ready. Raises WarmError."""
        with self._lock:
            return self._wait_ready()

    def open_judge(self) -> JudgeChannel:
        """Fork a judge. Raises HostUnfitError where this host may not run untrusted code, else WarmError."""
        with self._lock:
            self._wait_ready()
            if self._closed:
                raise WarmError("the warm server is closed")
            try:
                self._sock.send(b"judge")
            except OSError as error:
                raise WarmError(f"the warm process is gone: {error}") from error
            reply, descriptors = self._reply(FORK_SECONDS)
            if "error" in reply or len(descriptors) != 2:
                for fd in descriptors:
                    os.close(fd)
                raise WarmError(f"no judge could be started: {reply.get('error', 'no channel came back')}")
            return JudgeChannel(socket.socket(fileno=descriptors[0]), int(reply["pid"]), descriptors[1])

    def _wait_ready(self) -> Level:
        if self._level is None:
            reply, _ = self._reply(START_SECONDS)
            if "unfit" in reply:
                raise HostUnfitError("this host may not run untrusted code: " + "; ".join(reply["unfit"]))
            if "error" in reply:
                raise WarmError(f"the warm process could not start: {reply['error']}")
            self._level = Level(**reply["level"])
        return self._level

    def _reply(self, seconds: float) -> tuple[dict[str, Any], list[int]]:
        if self._closed:
            raise WarmError("the warm server is closed")
        if not _readable(self._sock.fileno(), seconds):
            raise WarmError(f"the warm process did not answer within {seconds:g} s")
        data, descriptors, _, _ = socket.recv_fds(self._sock, _MAX_REPLY, 2)
        if not data:
            raise WarmError(f"the warm process ended with status {self._process.wait(_END_SECONDS)}; see its stderr")
        for fd in descriptors:
            os.set_inheritable(fd, False)
        return json.loads(data), descriptors

    def close(self) -> None:
        """End the warm process and with it every judge and every cell."""
        if self._closed:
            return
        self._closed = True
        self._sock.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _import_path() -> list[str]:
    """Where this process imports from, so that the warm process finds the same modules."""
    from pathlib import Path

    inherited = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    return list(dict.fromkeys([str(Path(__file__).resolve().parents[2]), *inherited]))


def _readable(fd: int, seconds: float) -> bool:
    poller = select.poll()
    poller.register(fd, select.POLLIN)
    return bool(poller.poll(seconds * 1000))
