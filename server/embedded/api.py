"""The API on a listening socket that the supervisor holds: ``python -m server.embedded.api FD``.

The socket outlives a crash of the API, so that clients wait for its restart instead of being refused.
"""

from __future__ import annotations

import socket
import sys

import uvicorn

from server.main import create_app


def main(descriptor: int) -> None:
    """Serve until SIGTERM."""
    listener = socket.socket(fileno=descriptor)
    config = uvicorn.Config(create_app(), log_level="warning", timeout_graceful_shutdown=2)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main(int(sys.argv[1]))
