"""Takes comments out of Python and C++ text without moving anything, and blanks the contents of Python strings.

All of it takes time linear in the text, whatever the text is: sources are hostile.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_PYTHON = re.compile(
    r"""(?P<comment>\#[^\n]*)
        |(?P<prefix>(?i:\b(?:[rbu]|rb|br|f|fr|rf))?)(?P<quote>'''|\"\"\"|'|")""",
    re.VERBOSE,
)
_CPP = re.compile(
    r"""(?P<whole>R"(?P<mark>[^()\\\s"]{0,16})\([\s\S]*?(?:\)(?P=mark)"|\Z))
        |(?P<comment>//(?:[^\\\n]++|\\[\s\S])*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z))
        |(?P<quote>["'])""",
    re.VERBOSE,
)
_PLAIN = {
    "'": re.compile(r"[^\\'\n]*+"),
    '"': re.compile(r'[^\\"\n]*+'),
    "'''": re.compile(r"(?:[^\\']++|'(?!''))*+"),
    '"""': re.compile(r'(?:[^\\"]++|"(?!""))*+'),
}
"""What can stand in a literal before its end or the next backslash."""
_INK = re.compile(r"[^\n\r]")
_SPLICE = re.compile(r"\\[ \t]*\r?\n")


@dataclass(frozen=True)
class _Token:
    """A comment, or a literal whose delimiter is `quote`; its contents start at `inner`."""

    start: int
    end: int
    inner: int = 0
    quote: str = ""


class _Ends:
    """Where literals end. What once led to no end is not walked again, which keeps many of them linear."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._dead: dict[str, set[int]] = {quote: set() for quote in _PLAIN}

    def find(self, quote: str, inner: int) -> int | None:
        """The end of the literal whose contents start at `inner`; None if it has none."""
        text, plain, dead = self._text, _PLAIN[quote], self._dead[quote]
        at, walked = inner, []
        while at not in dead:
            walked.append(at)
            found = plain.match(text, at)
            at = found.end() if found else at
            if text.startswith(quote, at):
                return at + len(quote)
            if not text.startswith("\\", at):
                break
            at += 2
        dead.update(walked)
        return None


def _tokens(text: str, grammar: re.Pattern[str]) -> Iterator[_Token]:
    """Comments and literals in order. A quote without an end is a character like any other."""
    ends = _Ends(text)
    at = 0
    while found := grammar.search(text, at):
        quote = found.groupdict()["quote"]
        if quote is None:
            yield _Token(found.start(), found.end(), found.end(), "" if found["comment"] else '"')
            at = found.end()
            continue
        opening = found.start("quote")
        at = opening + 1
        for mark in dict.fromkeys((quote, quote[0])):
            if (end := ends.find(mark, opening + len(mark))) is not None:
                yield _Token(found.start(), end, opening + len(mark), mark)
                at = end
                break


def without_comments(source: str) -> str:
    """Python `source` with comments blanked; every other character keeps its place."""
    return _uncommented(source, _PYTHON)


def without_strings(code: str) -> str:
    """`code` with the contents of all string literals blanked, quotes kept."""
    made, at = [], 0
    for token in _tokens(code, _PYTHON):
        if token.quote:
            last = token.end - len(token.quote)
            made += [code[at : token.inner], _INK.sub(" ", code[token.inner : last])]
            at = last
    return "".join([*made, code[at:]])


def without_cpp_comments(text: str) -> str:
    """C++ `text` with comments blanked; every other character keeps its place."""
    return _uncommented(text, _CPP)


def _uncommented(text: str, grammar: re.Pattern[str]) -> str:
    made, at = [], 0
    for token in _tokens(text, grammar):
        if not token.quote:
            made += [text[at : token.start], _INK.sub(" ", text[token.start : token.end])]
            at = token.end
    return "".join([*made, text[at:]])


def spliced(text: str) -> str:
    """`text` with backslash-newline removed. The newlines come back after the logical line: numbers stay right."""
    if "\\" not in text:
        return text
    made = []
    for line in _SPLICE.sub("\0", text).splitlines(keepends=True):
        owed = line.count("\0")
        made.append(line.replace("\0", "") + "\n" * owed)
    return "".join(made)
