"""The warm process: imports once, computes nothing, forks judges. Started by :class:`runners.sandbox.warm.WarmServer`.

``python -m runners.sandbox.warm_process <socket> <module:function> <client's pid or 0> <module> ...``
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

from runners.sandbox import cgroups, libc, namespaces, pages, rootfs
from runners.sandbox.level import Level, admits, probe
from runners.sandbox.wire import ServerChannel

Entry = Callable[[ServerChannel], None]


class Warm:
    """The loop that answers the client and reaps judges."""

    def __init__(self, control: socket.socket, entry: Entry, level: Level) -> None:
        self._control = control
        self._entry = entry
        self._level = level
        self._judges: dict[int, int] = {}
        self._pid = os.getpid()

    def serve(self) -> None:
        """Answer until the client is gone."""
        poller = select.poll()
        poller.register(self._control, select.POLLIN)
        while True:
            for fd, _ in poller.poll():
                if fd in self._judges:
                    poller.unregister(fd)
                    self._bury(fd)
                elif self._control.recv(16) != b"judge":
                    return
                elif (judge := self._fork()) is not None:
                    poller.register(judge, select.POLLIN)

    def _fork(self) -> int | None:
        """Fork a judge and tell the client. Returns its pidfd."""
        ours, theirs = socket.socketpair()
        with ours, theirs:
            try:
                pid = os.fork()
            except OSError as error:
                self._control.send(json.dumps({"error": str(error)}).encode())
                return None
            if pid == 0:
                self._run_judge(ours, theirs)
            pidfd = os.pidfd_open(pid)
            self._judges[pidfd] = pid
            reply = json.dumps({"pid": pid}).encode()
            socket.send_fds(self._control, [reply], [theirs.fileno(), pidfd])
            return pidfd

    def _run_judge(self, ours: socket.socket, theirs: socket.socket) -> NoReturn:
        code = 1
        try:
            libc.die_with_parent()
            if os.getppid() != self._pid:
                os._exit(code)
            theirs.close()
            self._control.close()
            for pidfd in self._judges:
                os.close(pidfd)
            if self._level.namespaces == "user":
                namespaces.isolate_judge("user")
            self._entry(ServerChannel(ours))
            code = 0
        except SystemExit as error:
            code = error.code if isinstance(error.code, int) else 1
        except BaseException:
            traceback.print_exc()
        finally:
            with contextlib.suppress(BaseException):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code & 0xFF)

    def _bury(self, pidfd: int) -> None:
        os.waitpid(self._judges.pop(pidfd), 0)
        os.close(pidfd)
        cgroups.sweep()


def _prepare(preload: list[str]) -> Level:
    """Import, find out what the host can do, and make ready to fork."""
    for name in preload:
        importlib.import_module(name)
    if (torch := sys.modules.get("torch")) is not None:
        torch.set_num_threads(1)
    cgroups.sweep()
    level = probe()
    if level.seccomp:
        from runners.sandbox import seccomp

        for stage in ("build", "time"):
            seccomp.compiled(stage)
    if (threads := namespaces.thread_count()) != 1:
        raise RuntimeError(f"after its imports the warm process has {threads} threads; it must have one")
    rootfs.visible_trees()
    gc.collect()
    gc.freeze()
    pages.collapse()
    return level


def _entry(text: str) -> Entry:
    module, _, name = text.partition(":")
    found = getattr(importlib.import_module(module), name)
    if not callable(found):
        raise TypeError(f"{text} is not a function")
    return found  # type: ignore[no-any-return]


def main(arguments: list[str]) -> int:
    """Become the warm process."""
    descriptor, entry_name, client, *preload = arguments
    control = socket.socket(fileno=int(descriptor))
    control.set_inheritable(False)
    if int(client):
        libc.die_with_parent()
        if os.getppid() != int(client):
            return 1
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    message: dict[str, Any]
    try:
        level = _prepare(preload)
        entry = _entry(entry_name)
        refused = admits(level)
        message = {"unfit": refused} if refused else {"level": dataclasses.asdict(level)}
    except Exception as error:
        traceback.print_exc()
        message = {"error": f"{type(error).__name__}: {error}"}
    try:
        control.send(json.dumps(message).encode())
        if "level" in message:
            Warm(control, entry, level).serve()
    except (BrokenPipeError, ConnectionError):
        return 0
    return 0 if "level" in message else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
