"""Lines at the top of a kernel that say where it belongs.

``#!KERNELCUP board NAME``, or GPU MODE's ``#!POPCORN leaderboard NAME``; ``//!`` instead of ``#!`` in C++ and
CUDA. Only the leading block of comments and blank lines counts. A board in our own words wins over GPU
MODE's.
"""

from __future__ import annotations

import re

from clients.exits import UsageError

_DIRECTIVE = re.compile(r"(?:#|//)!\s*(KERNELCUP\s+board|POPCORN\s+leaderboard)\s+(\S+)\s*$")


def board_of(source: str) -> str | None:
    """The board that `source` names, or None; raises UsageError if it names two."""
    named: dict[str, set[str]] = {}
    for text in source.removeprefix("\ufeff").splitlines():
        text = text.strip()
        if text and not text.startswith(("#", "//")):
            break
        if match := _DIRECTIVE.match(text):
            named.setdefault(match[1].split()[0], set()).add(match[2])
    boards = named.get("KERNELCUP") or named.get("POPCORN") or set()
    if len(boards) > 1:
        raise UsageError(f"the file names more than one board: {', '.join(sorted(boards))}; choose with --board")
    return boards.pop() if boards else None
