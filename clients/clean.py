"""Text of authors and servers made harmless for a terminal.

Nothing that comes over the wire may move the cursor, colour, retitle or reorder what a user reads. Rich is
only ever given `Text` objects and consoles without markup, so square brackets need no care here.
"""

from __future__ import annotations

import re
import unicodedata

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x1b\x07\x9c\n]*(?:\x1b\\|\x07|\x9c)"  # OSC, DCS: titles, clipboard
    r"|\x1b[ -/]*[0-~]"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_KEPT = "\n\t"
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def block(text: str) -> str:
    """`text` with its lines kept and no escape sequence, control or direction character left in it."""
    text = _ESCAPES.sub("", text.replace("\r\n", "\n"))
    return "".join(c for c in text if c in _KEPT or unicodedata.category(c) not in _HIDDEN_CATEGORIES)


def line(text: object, limit: int = 500) -> str:
    """`text` as one harmless line of at most `limit` characters."""
    words = " ".join(block(str(text).replace("\r", " ")).split())
    return words if len(words) <= limit else words[: limit - 1] + "…"
