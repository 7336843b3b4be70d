"""A Valkey server of the tests' own, on a unix socket."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from server.embedded.broker import answers, command, url


class Broker:
    """A broker that can be stopped and started again."""

    def __init__(self, socket: Path) -> None:
        self.socket = socket
        self.url = url(socket)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start, and wait until it answers."""
        self._process = subprocess.Popen(command(self.socket), stdout=subprocess.DEVNULL, cwd=self.socket.parent)
        deadline = time.monotonic() + 30
        while not answers(self.socket):
            assert time.monotonic() < deadline, "the broker did not start"
            time.sleep(0.01)

    def stop(self) -> None:
        """Kill it; what it held is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        self.socket.unlink(missing_ok=True)


@contextmanager
def broker() -> Iterator[Broker]:
    """A running broker."""
    # Not under pytest's folder: the path of a unix socket may have 107 bytes.
    with tempfile.TemporaryDirectory(prefix="kc-") as folder:
        made = Broker(Path(folder) / "broker.sock")
        made.start()
        try:
            yield made
        finally:
            made.stop()
