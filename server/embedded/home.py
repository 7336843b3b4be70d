"""The data directory of an embedded service: its files and its lock."""

from __future__ import annotations

import fcntl
import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from server.embedded.broker import LONGEST_SOCKET_PATH


class AlreadyRunningError(RuntimeError):
    """Another supervisor holds the data directory."""


@dataclass(frozen=True)
class Home:
    """Where everything of one embedded service lives. Readable by its user alone."""

    root: Path

    @classmethod
    def at(cls, root: Path) -> Home:
        """The home in `root`, which is made if need be."""
        root = root.expanduser().resolve()
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        return cls(root)

    @property
    def url_file(self) -> Path:
        """Holds the service's address, from readiness to stop."""
        return self.root / "url"

    @property
    def token_file(self) -> Path:
        """Holds the local user's bearer token."""
        return self.root / "token"

    @property
    def socket(self) -> Path:
        """The broker's socket; in the temporary directory where the path would be too long for the kernel."""
        inside = self.root / "broker.sock"
        if len(os.fsencode(inside)) <= LONGEST_SOCKET_PATH:
            return inside
        mark = hashlib.sha256(os.fsencode(self.root)).hexdigest()[:16]
        short = Path(tempfile.gettempdir()) / f"kernelcup-{os.getuid()}-{mark}"
        short.mkdir(mode=0o700, exist_ok=True)
        if short.stat().st_uid != os.getuid():
            raise PermissionError(f"{short} belongs to somebody else; choose a shorter data directory")
        return short / "broker.sock"

    def log(self, name: str) -> Path:
        """The log file of the child `name`."""
        return self.root / "logs" / f"{name}.log"

    def lock(self) -> IO[str]:
        """Take the home for this process, until the file that is returned is closed or the process ends.

        Raises AlreadyRunningError, naming the process and the address, when another one has it.
        """
        handle = (self.root / "lock").open("a+")
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            handle.seek(0)
            owner = handle.read().strip() or "unknown"
            handle.close()
            address = self.url_file.read_text().strip() if self.url_file.exists() else "still starting"
            raise AlreadyRunningError(
                f"KernelCup already runs in {self.root} (process {owner}, {address}). "
                "Use that one, stop it, or choose another --data-dir."
            ) from None
        handle.truncate(0)
        handle.write(f"{os.getpid()}\n")
        handle.flush()
        return handle


def write_private(path: Path, text: str) -> None:
    """Write `text` and a newline to `path`, whole or not at all, readable by this user alone."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "w") as stream:
        stream.write(text + "\n")
    Path(temporary).replace(path)
