"""An application under uvicorn on a port of its own, for whoever speaks real HTTP, or speaks from several threads."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI


@contextmanager
def listener() -> Iterator[tuple[socket.socket, str]]:
    """A listening socket and its address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening, f"http://127.0.0.1:{listening.getsockname()[1]}"


@contextmanager
def serving(app: FastAPI, listening: socket.socket) -> Iterator[None]:
    """Serve `app` on the socket."""
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    yield
    server.should_exit = True
    thread.join(30)
