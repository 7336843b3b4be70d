"""The corpus of the guard: cheats with the hit they must cause, and honest kernels that must cause none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
PROJECT = Path(__file__).parents[2]
RANK = {"none": 0, "note": 1, "review": 2, "reject": 3}


@dataclass(frozen=True)
class Case:
    """One program; `family` and `expect` are what its two head lines say."""

    name: str
    source: str
    family: str = ""
    expect: str = "none"


def cheats() -> list[Case]:
    return [
        Case(path.stem, text, _head(text, "family"), _head(text, "expect"))
        for path in sorted((CORPUS / "cheats").glob("*.py"))
        if (text := path.read_text())
    ]


def honest() -> list[Case]:
    shipped = [
        *(PROJECT / "problems" / "library").glob("*/*/starters/*.py"),
        *(PROJECT / "problems" / "library").glob("*/*/solutions/correct/*.py"),
        *(PROJECT / "examples" / "kernels" / "honest").rglob("*.py"),
    ]
    own = sorted((CORPUS / "honest").glob("*.py"))
    return [Case("/".join(path.parts[-4:]), path.read_text()) for path in (*own, *sorted(shipped))]


def _head(text: str, key: str) -> str:
    found = re.search(rf"^# {key}: (\w+)$", text, re.MULTILINE)
    assert found is not None, f"a cheat needs a line '# {key}: …'"
    return found[1]
