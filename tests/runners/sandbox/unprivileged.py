"""A client without privileges: is refused, then allowed, and makes the attempts. Run as a program, prints JSON."""

from __future__ import annotations

import dataclasses
import json
import signal
from typing import Any

from runners.sandbox.level import probe
from runners.sandbox.warm import HostUnfitError, WarmServer
from tests.runners.sandbox.attempts import ATTEMPTS

HOST = "tests.runners.sandbox.host"
PRELOAD = (
    HOST, "tests.runners.sandbox.attempts", "tests.runners.sandbox.scenarios", "tests.runners.sandbox.unprivileged",
)  # fmt: skip


def hoard() -> int:
    return len([bytearray(1 << 20) for _ in range(600)])


def main() -> None:
    told: dict[str, Any] = {"level": dataclasses.asdict(probe()), "refused": ""}
    with WarmServer(f"{HOST}:serve", PRELOAD) as server:
        try:
            server.open_judge().close()
        except HostUnfitError as error:
            told["refused"] = str(error)
    if told["level"]["namespaces"] != "none":
        with WarmServer(f"{HOST}:serve", PRELOAD, allow_no_memory_control=True) as server:
            told |= attack(server)
    print(json.dumps(told))


def attack(server: WarmServer) -> dict[str, Any]:
    channel = server.open_judge()
    lines: list[dict[str, Any]] = []
    for stage in ("build", "time"):
        request = {"function": "tests.runners.sandbox.attempts:run_all", "arguments": [stage], "stage": stage}
        channel.send({"scenario": f"{HOST}:in_cell", **request})
        answer = channel.receive(60) or {}
        lines += [line for line in answer["result"]["lines"] if "name" in line]
    ends: dict[str, list[Any]] = {}
    for stage in ("build", "time"):
        channel.send({"scenario": "tests.runners.sandbox.scenarios:fatal_attempts", "stage": stage})
        answer = channel.receive(60) or {}
        ends |= {f"{stage} {name}": end for name, end in answer["result"].items()}
    channel.send({"scenario": "tests.runners.sandbox.scenarios:group_signals"})
    group = (channel.receive(60) or {})["result"]
    limited = {"memory_bytes": 300 << 20}
    request = {"function": "tests.runners.sandbox.unprivileged:hoard", "stage": "time", "plan": limited}
    channel.send({"scenario": f"{HOST}:in_cell", **request})
    answer = channel.receive(60) or {}
    channel.close()
    return {
        "attempts": len(lines),
        "succeeded": [line for line in lines if line["errno"] not in ATTEMPTS[line["name"]].refusals],
        "group": group,
        "ended": len(ends),
        "survived": [name for name, end in ends.items() if end != [-signal.SIGSYS, []]],
        "memory": answer["result"]["lines"][0].get("error"),
    }


if __name__ == "__main__":
    main()
