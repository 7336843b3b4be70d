"""What the demo submits: the kernels under ``examples/kernels``, each of which says how it must end."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["honest", "cheat"]
FOLDERS: dict[str, Kind] = {"honest": "honest", "cheats": "cheat"}
KEYS = ("author", "expect", "what")


class BadEntryError(ValueError):
    """An example has no proper header; the message names the file and what it lacks."""


@dataclass(frozen=True)
class Entry:
    """One kernel. `expect` is the outcome that it must have, a word of :data:`server.schemas.Outcome`."""

    kind: Kind
    board: str
    path: Path
    author: str
    expect: str
    what: str

    @property
    def name(self) -> str:
        """The file's name without its suffix."""
        return self.path.stem


def examples_folder() -> Path:
    """Where the kernels lie in a clone.

    Raises FileNotFoundError where there is no clone, since an installed package does not bring them along.
    """
    folder = Path(__file__).resolve().parents[2] / "examples" / "kernels"
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is missing: the demo runs from a clone of the repository")
    return folder


def read_entries(folder: Path) -> list[Entry]:
    """All entries under ``folder/{honest,cheats}/<board>/*.py``, honest and cheating ones taking turns.

    Raises BadEntryError for a file without author, expect and what in its first comment lines.
    """
    honest, cheats = ([*_entries(folder / name, kind)] for name, kind in FOLDERS.items())
    share = len(cheats) / max(len(honest), 1)
    placed = [(place * share, entry) for place, entry in enumerate(honest)]
    placed += [(float(place), entry) for place, entry in enumerate(cheats)]
    return [entry for _, entry in sorted(placed, key=lambda item: item[0])]


def _entries(folder: Path, kind: Kind) -> list[Entry]:
    return [_read(path, kind) for path in sorted(folder.glob("*/*.py"))]


def _read(path: Path, kind: Kind) -> Entry:
    header: dict[str, str] = {}
    for line in path.read_text().splitlines():
        if not line.startswith("#"):
            break
        key, colon, value = line.lstrip("# ").partition(":")
        if colon:
            header[key.strip()] = value.strip()
    if missing := [key for key in KEYS if not header.get(key)]:
        raise BadEntryError(f"{path}: its first comment lines need '# {missing[0]}: …'")
    return Entry(kind, path.parent.name, path, header["author"], header["expect"], header["what"])
