"""Keeps torch imported and forks one naive evaluation after the other, each under a uid of no worth and a time limit.

Requests and replies are lines of JSON on standard input and output.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import resource
import runpy
import selectors
import signal
import sys
import time
import traceback
import warnings
from typing import Any

import torch

PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 4, 36
MOST_LOG_BYTES = 1 << 16


def main() -> None:
    torch.set_num_threads(1)
    torch.geqrf(torch.eye(4))
    _import_standard_library()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        out.write(json.dumps(evaluate(json.loads(line), out.fileno())) + "\n")
        out.flush()


def _import_standard_library() -> None:
    """An evaluation's uid may be unable to read the interpreter's own folder."""
    for name in sorted(sys.stdlib_module_names):
        if name not in ("antigravity", "this", "idlelib", "tkinter", "turtle", "turtledemo") and name[0] != "_":
            with contextlib.suppress(Exception), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                importlib.import_module(name)
    for name in ("concurrent.futures", "multiprocessing.pool", "importlib.machinery", "email.mime.text", "xml.etree"):
        importlib.import_module(name)


def evaluate(request: dict[str, Any], answers: int) -> dict[str, Any]:
    """One evaluation, in a process that is killed at the deadline with all it started."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(BaseException):
            os.close(read)
            os.close(answers)
            _evaluate_as(request, write)
        os._exit(1)
    os.close(write)
    text = _read_all(read, time.monotonic() + request["seconds"])
    _kill(pid, request["uid"])
    try:
        return dict(json.loads(text or ""))
    except ValueError:
        return {"problem": "no answer in time" if text is None else "the evaluator died", "lines": {}, "log": ""}


def _evaluate_as(request: dict[str, Any], write: int) -> None:
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    # A standard input at its end that buffers nothing of the requests.
    sys.stdin = os.fdopen(0)
    for limit, value in ((resource.RLIMIT_FSIZE, 64 << 20), (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(limit, (value, value))
    if request["uid"] is not None:
        os.setgroups([])
        os.setgid(request["uid"])
        os.setuid(request["uid"])
    # As in public evaluators, parent and child may look into each other.
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
    os.chdir(request["folder"])
    os.environ["KERNELCUP_BUILD_DIR"] = os.path.join(request["folder"], "build")
    sys.path[:0] = [request["folder"]]
    _run("submission.py", [], {"POPCORN_SEED": "1"}, "fd", write)
    found: dict[str, Any] = {"problem": "", "lines": {}, "log": ""}
    for mode in ("test", "leaderboard"):
        lines, log, code = _run("eval.py", [mode], {}, request["results"], write)
        found["lines"].update(lines)
        found["log"] += log
        if code not in (0, 112) or lines.get("check") != "pass":
            status = [value for key, value in lines.items() if key.endswith("status") and value != "pass"]
            found["problem"] = f"{mode}: exit {code}: {status[-1] if status else log[-2000:]}"
            break
    os.write(write, json.dumps(found).encode())
    os._exit(0)


def _run(
    program: str, arguments: list[str], environment: dict[str, str], results: str, keep: int
) -> tuple[dict[str, str], str, int]:
    """Run one of the folder's programs in a fork; the lines it reported, what it printed, its exit code."""
    result_read, result_write = os.pipe()
    log_read, log_write = os.pipe()
    pid = os.fork()
    if pid == 0:
        for fd in (keep, result_read, log_read):
            os.close(fd)
        os.dup2(log_write, 1)
        os.dup2(log_write, 2)
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
        os.environ.update(environment)
        if results == "fd":
            os.environ["POPCORN_FD"] = str(result_write)
        os.set_inheritable(result_write, True)
        sys.argv = [program, *arguments]
        code = 1
        try:
            runpy.run_path(program, run_name="__main__")
            code = 0
        except SystemExit as error:
            code = error.code if isinstance(error.code, int) else 1
        except BaseException:
            traceback.print_exc()
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
    os.close(result_write)
    os.close(log_write)
    chunks = _drain({result_read: bytearray(), log_read: bytearray()}, pid)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    log = chunks[log_read].decode("utf-8", "replace")
    text = chunks[result_read].decode("utf-8", "replace") if results == "fd" else log
    return dict(line.split(": ", 1) for line in text.splitlines() if ": " in line), log, code


def _drain(chunks: dict[int, bytearray], pid: int) -> dict[int, bytearray]:
    with selectors.DefaultSelector() as selector:
        for fd in chunks:
            os.set_blocking(fd, False)
            selector.register(fd, selectors.EVENT_READ)
        ended = False
        while selector.get_map():
            ready = selector.select(0.02)
            for key, _ in ready:
                chunk = os.read(key.fd, 1 << 16)
                if not chunk:
                    selector.unregister(key.fd)
                elif len(chunks[key.fd]) < MOST_LOG_BYTES:
                    chunks[key.fd] += chunk
            if ended and not ready:
                break
            ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    for fd in chunks:
        os.close(fd)
    return chunks


def _read_all(fd: int, deadline: float) -> str | None:
    text = b""
    with selectors.DefaultSelector() as selector:
        selector.register(fd, selectors.EVENT_READ)
        while selector.select(max(0.0, deadline - time.monotonic())):
            chunk = os.read(fd, 1 << 16)
            if not chunk:
                os.close(fd)
                return text.decode()
            text += chunk
            if text.endswith(b"}"):
                break
    os.close(fd)
    return text.decode() if text.endswith(b"}") else None


def _kill(pid: int, uid: int | None) -> None:
    """Kill the evaluation and everything it started, and reap it."""
    if uid is not None:
        killer = os.fork()
        if killer == 0:
            with contextlib.suppress(BaseException):
                os.setgid(uid)
                os.setuid(uid)
                os.kill(-1, signal.SIGKILL)
            os._exit(0)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, 0)[0]:
            pass


if __name__ == "__main__":
    main()
