"""Messages between the client and its judge: one JSON object a line over a socket."""

from __future__ import annotations

import json
import select
import socket
import time
from typing import Any

MAX_MESSAGE_BYTES = 64 << 20
_CHUNK = 1 << 16


class ChannelError(RuntimeError):
    """A message is too long or is not a JSON object."""


class Channel:
    """One end of a connected socket that carries JSON objects, in order, each on its own line."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._sock.setblocking(True)
        self._buffer = bytearray()
        self._searched = 0

    def fileno(self) -> int:
        """The socket's descriptor, for select and poll; -1 once closed."""
        return self._sock.fileno()

    def send(self, message: dict[str, Any]) -> None:
        """Send one message. Raises BrokenPipeError or ConnectionError if the other end is gone."""
        line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        if len(line) > MAX_MESSAGE_BYTES:
            raise ChannelError(f"a message of {len(line)} bytes is longer than {MAX_MESSAGE_BYTES}")
        self._sock.sendall(line)

    def receive(self, timeout: float | None = None) -> dict[str, Any] | None:
        """The next message; None once the other end is gone.

        Raises TimeoutError when nothing came within `timeout` seconds, and ChannelError for what is no message.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while (line := self._take_line()) is None:
            self._wait(deadline)
            try:
                chunk = self._sock.recv(_CHUNK)
            except ConnectionError:
                return None
            if not chunk:
                return None
            self._buffer += chunk
        try:
            message = json.loads(line)
        except ValueError as error:
            raise ChannelError("a line is not JSON") from error
        if not isinstance(message, dict):
            raise ChannelError("a message is not a JSON object")
        return message

    def _take_line(self) -> bytes | None:
        end = self._buffer.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._buffer)
            if len(self._buffer) > MAX_MESSAGE_BYTES:
                raise ChannelError(f"a message is longer than {MAX_MESSAGE_BYTES} bytes")
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched = 0
        return line

    def _wait(self, deadline: float | None) -> None:
        poller = select.poll()
        poller.register(self._sock, select.POLLIN)
        left = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000
        if not poller.poll(left):
            raise TimeoutError("no message in time")

    def close(self) -> None:
        """Close this end; the other end then receives None."""
        self._sock.close()


class ServerChannel(Channel):
    """The judge's end."""
