"""Facts that the kernel tells in files, all read below one root: tests have a tree of their own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class HostFiles:
    """The files of a host, by absolute path; `root` stands for ``/``."""

    root: Path = Path("/")

    def text(self, path: str) -> str | None:
        """The file's text without blanks at its ends, None if it cannot be read."""
        try:
            return self._at(path).read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return None

    def number(self, path: str) -> int | None:
        """The file's text as an integer, None if it is none."""
        try:
            return int(self.text(path) or "")
        except ValueError:
            return None

    def names(self, folder: str, pattern: str = "*") -> list[str]:
        """Names in `folder` that match, sorted; empty if there is no such folder."""
        return sorted(path.name for path in self._at(folder).glob(pattern))

    def cores(self, path: str) -> tuple[int, ...] | None:
        """The file's list of cores, None if it cannot be read or is none."""
        text = self.text(path)
        try:
            return parse_cores(text) if text is not None else None
        except ValueError:
            return None

    def fields(self, path: str) -> dict[str, str]:
        """A file of lines ``name: value``, such as ``/proc/meminfo``; of a repeated name the first counts."""
        found: dict[str, str] = {}
        for line in (self.text(path) or "").splitlines():
            name, colon, value = line.partition(":")
            if colon:
                found.setdefault(name.strip(), value.strip())
        return found

    def _at(self, path: str) -> Path:
        return self.root / path.lstrip("/")


def parse_cores(text: str) -> tuple[int, ...]:
    """``0-2,5`` as (0, 1, 2, 5). Raises ValueError for anything else."""
    found: set[int] = set()
    for part in filter(None, text.strip().split(",")):
        first, dash, last = part.partition("-")
        found.update(range(int(first), int(last if dash else first) + 1))
    return tuple(sorted(found))
