"""Runs a function in a forked child with limits on time, processor and memory, and reaps it whatever happens."""

from __future__ import annotations

import contextlib
import json
import math
import os
import resource
import select
import signal
import time
import warnings
from collections.abc import Callable
from typing import Any

_MAX_ANSWER = 16 << 20


class Failed(Exception):
    """The child gave no answer; `reason` says why, in words for a reviewer."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def call(function: Callable[[], Any], seconds: float, memory_bytes: int) -> Any:
    """What `function` returns, as JSON, from a child that may use `seconds` of wall and processor time and
    `memory_bytes` beyond what this process has. Raises Failed; no child is left in any case.
    """
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _answer(function, writing, seconds, memory_bytes)
    os.close(writing)
    try:
        data = _receive(reading, time.monotonic() + seconds)
    finally:
        os.close(reading)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        status = _reap(child)
    if data is None:
        raise Failed(f"reading it took longer than {seconds:g} seconds")
    return _decoded(data, status)


def _receive(reading: int, deadline: float) -> bytes | None:
    """All that the child writes until it closes its end; None if the deadline comes first."""
    poll = select.poll()
    poll.register(reading, select.POLLIN)
    data = bytearray()
    while len(data) <= _MAX_ANSWER:
        left = deadline - time.monotonic()
        if left <= 0 or not poll.poll(math.ceil(left * 1000)):
            return None
        part = os.read(reading, 1 << 16)
        if not part:
            break
        data += part
    return bytes(data)


def _decoded(data: bytes, status: int | None) -> Any:
    try:
        kind, content = json.loads(data)
    except (ValueError, TypeError):
        if status is not None and os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGALRM):
            raise Failed("reading it took too much processor time") from None
        raise Failed("reading it crashed the reader") from None
    if kind == "failed":
        raise Failed(str(content))
    return content


def _reap(child: int) -> int | None:
    """The child's wait status; None if someone else has reaped it (a host that ignores SIGCHLD)."""
    try:
        return os.waitpid(child, 0)[1]
    except ChildProcessError:
        return None


def _answer(function: Callable[[], Any], writing: int, seconds: float, memory_bytes: int) -> None:
    """The child: limits itself, computes, writes, and leaves without running anything of the parent's."""
    code = 1
    try:
        _limit(seconds, memory_bytes)
        try:
            answer = ("done", function())
        except MemoryError:
            answer = ("failed", "reading it takes too much memory")
        except RecursionError:
            answer = ("failed", "it is nested too deeply to be read")
        except Exception as error:
            answer = ("failed", f"the reader failed on it ({type(error).__name__})")
        data = memoryview(json.dumps(answer).encode())
        while data:
            data = data[os.write(writing, data) :]
        code = 0
    finally:
        os._exit(code)


def _limit(seconds: float, memory_bytes: int) -> None:
    for name in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT, signal.SIGXCPU):
        signal.signal(name, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds + 1)
    _lower(resource.RLIMIT_CPU, math.ceil(time.process_time() + seconds) + 1)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_AS, _address_space() + memory_bytes)


def _lower(kind: int, limit: int) -> None:
    """Set a limit, unless a lower one is in force."""
    hard = resource.getrlimit(kind)[1]
    if hard == resource.RLIM_INFINITY or limit < hard:
        resource.setrlimit(kind, (limit, hard))


def _address_space() -> int:
    with open("/proc/self/statm", "rb") as statm:
        return int(statm.read().split()[0]) * resource.getpagesize()
