"""One timed run per last-level cache: a second run on the same cache would be the noise of the first (cheat 90)."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runners.judge.faults import JudgeFault

PATIENCE_SECONDS = 600.0
"""A turn that does not come in this time comes to the next try of the run."""

_POLL_SECONDS = 0.05
_CPUS = Path("/sys/devices/system/cpu")


def cache_of(core: int) -> str:
    """A name for the last-level cache of `core`: the cores that share it, as the kernel lists them."""
    levels = sorted((_CPUS / f"cpu{core}" / "cache").glob("index*"))
    lists = [level / "shared_cpu_list" for level in levels]
    known = [path.read_text().strip() for path in lists if path.exists()]
    return known[-1] if known else "all"


@contextmanager
def cache_turn(core: int, folder: Path | None = None) -> Iterator[None]:
    """Hold the last-level cache of `core`, against every other timed run on this host; ends with the process.

    The lock is a file in `folder`, by default the host's directory for temporary files, so that runners of different
    users meet there. Raises JudgeFault when the turn does not come.
    """
    path = (folder or Path(tempfile.gettempdir())) / f"kernelcup-cache-{cache_of(core)}.lock"
    try:
        handle = _opened(path)
    except OSError as error:
        raise JudgeFault(f"the lock of the last-level cache cannot be opened: {error}") from error
    try:
        _wait_for(handle, path)
        yield
    finally:
        os.close(handle)


def _opened(path: Path) -> int:
    """The lock file, of whoever came first and readable by all: a lock needs no more. Raises OSError."""
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
    with contextlib.suppress(FileExistsError):
        handle = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o644)
        os.fchmod(handle, 0o644)
        return handle
    # Without O_CREAT, which Linux may refuse for another user's file in a folder like /tmp (fs.protected_regular).
    return os.open(path, flags)


def _wait_for(handle: int, path: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise JudgeFault(f"another run has kept the last-level cache busy for too long ({path})") from None
            time.sleep(_POLL_SECONDS)
