"""Reports that the service has not acknowledged yet, on disk, so that a restarted runner still delivers them."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Kept:
    """A report on its way: to whom, with which attempt's token."""

    attempt_id: int
    api_url: str
    token: str
    report: Any


class Spool:
    """One file a report, written whole or not at all, readable by its owner alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, kept: Kept) -> None:
        """Write `kept` down, durably."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self._path(kept.attempt_id)
        aside = path.with_suffix(f".{os.getpid()}.new")
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            json.dump(vars(kept), file)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)

    def drop(self, attempt_id: int) -> None:
        """Forget a report: it was acknowledged, or never will be."""
        self._path(attempt_id).unlink(missing_ok=True)

    def kept(self) -> Iterator[Kept]:
        """What waits, oldest first. Files that cannot be read are set aside with the suffix ``.bad``."""
        for path in sorted(self._folder.glob("attempt-*.json"), key=lambda path: path.stat().st_mtime):
            try:
                kept = Kept(**json.loads(path.read_text()))
            except (ValueError, TypeError):
                log.exception("unreadable report set aside: %s", path)
                path.replace(path.with_suffix(".bad"))
                continue
            yield kept

    def _path(self, attempt_id: int) -> Path:
        return self._folder / f"attempt-{attempt_id}.json"
