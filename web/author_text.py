"""Text that authors control: shown exactly, never interpreted, and unable to disguise itself."""

from __future__ import annotations

import re

_ANSI_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff]"
)


def visible(text: str) -> str:
    r"""`text` with line ends made ``\n``, colour codes dropped, and what would be invisible spelt out.

    Control and bidirectional characters can make a source read otherwise than it runs ("Trojan Source",
    CVE-2021-42574), so each becomes ``⟨U+202E⟩``.
    """
    text = _ANSI_COLOUR.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _INVISIBLE.sub(lambda found: f"⟨U+{ord(found.group()):04X}⟩", text)
