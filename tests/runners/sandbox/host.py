"""The judge of these tests: runs what it is told in cells, and says what came of it. Imported by the warm process."""

from __future__ import annotations

import importlib
import json
import os
import select
import time
import traceback
from collections.abc import Callable
from typing import Any

from runners.sandbox.cell import Cell, CellPlan, Housing, SandboxError
from runners.sandbox.cores import plan_cores
from runners.sandbox.level import probe
from runners.sandbox.wire import ServerChannel


def find(text: str) -> Callable[..., Any]:
    module, _, name = text.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return found


def plan_for(stage: str, **changes: Any) -> CellPlan:
    fields: dict[str, Any] = {
        "name": "build" if stage == "build" else "contestant",
        "stage": stage,
        "cores": plan_cores().contestant,
        "memory_bytes": 3 << 30,
        "processes": 64,
        "scratch_bytes": 512 << 20,
        "output": None,
        "keep_fds": (),
    }
    return CellPlan(**(fields | changes))


def speaking(function: Callable[..., Any], *arguments: Any) -> Callable[[], None]:
    """An entry that writes to descriptor 3 what the function returned or raised; a list result line by line."""

    def entry() -> None:
        try:
            said = {"value": function(*arguments)}
        except BaseException as error:
            said = {
                "error": type(error).__name__,
                "errno": getattr(error, "errno", None),
                "text": "".join(traceback.format_exception(error)),
            }
        os.write(3, json.dumps(said).encode() + b"\n")

    return entry


def listen(fd: int, seconds: float) -> list[dict[str, Any]]:
    """All lines that come through a pipe before it ends."""
    data = b""
    deadline = time.monotonic() + seconds
    while select.select([fd], [], [], max(0.0, deadline - time.monotonic()))[0]:
        chunk = os.read(fd, 1 << 16)
        if not chunk:
            break
        data += chunk
    return [json.loads(line) for line in data.splitlines()]


def wait_end(cell: Cell, seconds: float = 20) -> int | None:
    deadline = time.monotonic() + seconds
    while cell.alive() and time.monotonic() < deadline:
        time.sleep(0.005)
    return cell.exit_status()


def run(housing: Housing, entry: Callable[[], None], plan: CellPlan, seconds: float = 60) -> dict[str, Any]:
    read, write = os.pipe()
    cell = housing.spawn(
        CellPlan(**{**plan.__dict__, "keep_fds": (write,)}),
        entry,
    )
    os.close(write)
    lines = listen(read, seconds)
    os.close(read)
    status = wait_end(cell, 5)
    result = {"lines": lines, "status": status, "oom": cell.oom_killed(), "peak": cell.memory_peak()}
    cell.close()
    return result


def serve(channel: ServerChannel) -> None:
    """Requests: {"scenario": "module:function", ...}; the function gets the housing and the request."""
    housing: Housing | None = None
    while (request := channel.receive(None)) is not None:
        try:
            if housing is None:
                housing = Housing(probe(), 256 << 20)
            channel.send({"result": find(request["scenario"])(housing, request)})
        except SandboxError as error:
            channel.send({"sandbox_error": str(error)})
        except Exception:
            channel.send({"failed": traceback.format_exc()})
    if housing is not None:
        housing.close()


def in_cell(housing: Housing, request: dict[str, Any]) -> dict[str, Any]:
    """Run one function in a cell of its own."""
    entry = speaking(find(request["function"]), *request.get("arguments", ()))
    plan = plan_for(request["stage"], **request.get("plan", {}))
    return run(housing, entry, plan, request.get("seconds", 60))
