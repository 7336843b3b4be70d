"""docker-compose.yml without containers: its very commands and environments as processes on this machine."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from server.embedded.process import Child, Program

ROOT = Path(__file__).resolve().parents[2]
VARIABLE = re.compile(r"\$\{(\w+)(?::([?-])([^}]*))?\}")


def interpolate(value: Any, variables: Mapping[str, str]) -> Any:
    """`value` with ``${NAME}``, ``${NAME:?…}`` and ``${NAME:-default}`` replaced, as Compose does it."""
    if isinstance(value, dict):
        return {key: interpolate(item, variables) for key, item in value.items()}
    if isinstance(value, list):
        return [interpolate(item, variables) for item in value]
    if not isinstance(value, str):
        return value

    def one(match: re.Match[str]) -> str:
        name, kind, rest = match.groups()
        if found := variables.get(name):
            return found
        if kind == "-":
            return str(rest)
        raise KeyError(f"{name}: {rest}")

    return VARIABLE.sub(one, value).replace("$$", "$")


def read_compose(variables: Mapping[str, str]) -> dict[str, Any]:
    """The services of docker-compose.yml by name."""
    text = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    services: dict[str, Any] = interpolate(text, variables)["services"]
    return services


@dataclass
class Stack:
    """Services started as processes. `places` maps what differs from containers (hosts, paths) to what is here."""

    services: dict[str, Any]
    places: dict[str, str]
    root: Path
    children: dict[str, Child] = field(default_factory=dict)

    def here(self, text: str) -> str:
        # In one pass: a path of this machine may hold what stands for something else in a container.
        known = "|".join(map(re.escape, self.places))
        return re.sub(known, lambda match: self.places[match[0]], text) if known else text

    def command(self, name: str) -> list[str]:
        service = self.services[name]
        return [self.here(word) for word in [*service.get("entrypoint", []), *service["command"]]]

    def env(self, name: str, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """What the service's container would have, and nothing of the test's own environment."""
        path = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
        declared = {key: self.here(str(value)) for key, value in self.services[name]["environment"].items()}
        basics = {"PATH": path, "HOME": str(self.root), "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1"}
        return {**basics, **declared, **(extra or {})}

    def start(self, name: str, extra: Mapping[str, str] | None = None) -> Child:
        log = self.root / f"{name}.log"
        child = Child(Program(name, self.command(name), self.env(name, extra), log, stop_seconds=20.0))
        child.start()
        self.children[name] = child
        return child

    def logs(self) -> str:
        return "\n".join(
            f"--- {p.name}\n{p.read_text(errors='replace')[-3000:]}" for p in sorted(self.root.glob("*.log"))
        )

    def stop(self) -> None:
        for child in reversed(self.children.values()):
            child.stop()


def readable_by(user: str, path: Path) -> None:
    """Give `path` to `user`, where we may."""
    import pwd

    if os.getuid() == 0:
        entry = pwd.getpwnam(user)
        os.chown(path, entry.pw_uid, entry.pw_gid)
