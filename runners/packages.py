"""Problem packages on the runner's disk, by digest."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from problems.package import digest as digest_of
from problems.package import unpack


class PackageError(Exception):
    """What came is not the package that was asked for."""


class PackageCache:
    """Unpacked packages under `folder`. Safe with several processes: a package appears whole, by renaming."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, digest: str, fetch: Callable[[str], bytes]) -> Path:
        """Where the package lies, fetched if it is not there yet."""
        kept = self._folder / digest
        if kept.is_dir():
            return kept
        archive = fetch(digest)
        if digest_of(archive) != digest:
            raise PackageError(f"the service sent another package than {digest}")
        self._folder.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=".new-", dir=self._folder))
        try:
            unpack(archive, aside)
            aside.chmod(0o755)
            aside.rename(kept)
        except OSError:
            if not kept.is_dir():
                raise
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        return kept
