"""Takes comments out of Python and C++ text without moving anything, and blanks the contents of Python strings."""

from __future__ import annotations

import re

_PYTHON = re.compile(
    r"""(?P<string>(?i:\b(?:[rbu]|rb|br|f|fr|rf))?
        (?:\'\'\'(?:[^\\']++|\\[\s\S]|'(?!''))*+\'\'\'|\"\"\"(?:[^\\"]++|\\[\s\S]|"(?!""))*+\"\"\"
        |'(?:[^\\'\n]++|\\[\s\S])*+'|"(?:[^\\"\n]++|\\[\s\S])*+"))|(?P<comment>\#[^\n]*)""",
    re.VERBOSE,
)
_CPP = re.compile(
    r"""(?P<string>R"(?P<mark>[^()\\\s"]{0,16})\([\s\S]*?(?:\)(?P=mark)"|\Z)
        |"(?:[^\\"\n]++|\\[\s\S])*+"|'(?:[^\\'\n]++|\\[\s\S])*+')
        |(?P<comment>//(?:[^\\\n]++|\\[\s\S])*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z))""",
    re.VERBOSE,
)
_INK = re.compile(r"[^\n\r]")
_SPLICE = re.compile(r"\\[ \t]*\r?\n")


def without_comments(source: str) -> str:
    """Python `source` with comments blanked; every other character keeps its place."""
    return _PYTHON.sub(lambda found: _blank(found) if found["comment"] else found[0], source)


def without_strings(code: str) -> str:
    """`code` with the contents of all string literals blanked, quotes kept."""
    return _PYTHON.sub(_hollow, code)


def without_cpp_comments(text: str) -> str:
    """C++ `text` with comments blanked; every other character keeps its place."""
    return _CPP.sub(lambda found: _blank(found) if found["comment"] else found[0], text)


def spliced(text: str) -> str:
    """`text` with backslash-newline removed. The newlines come back after the logical line: numbers stay right."""
    if "\\" not in text:
        return text
    made = []
    for line in _SPLICE.sub("\0", text).splitlines(keepends=True):
        owed = line.count("\0")
        made.append(line.replace("\0", "") + "\n" * owed)
    return "".join(made)


def _blank(found: re.Match[str]) -> str:
    return _INK.sub(" ", found[0])


def _hollow(found: re.Match[str]) -> str:
    text = found[0]
    if found["comment"]:
        return text
    start = len(text) - len(text.lstrip("rRbBuUfF"))
    quotes = 3 if text[start : start + 3] in ("'''", '"""') else 1
    return text[: start + quotes] + _INK.sub(" ", text[start + quotes : -quotes]) + text[-quotes:]
