"""When two sources are the same kernel: a digest that comments and white space do not change.

The scanner is this module's own, because digests are stored: those of Python's tokenizer differ between its versions.
It takes time linear in the source and never fails; what is not valid Python gets some digest too.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from guard.cpp import looks_like_cpp
from guard.lexing import without_cpp_comments

TAB = 8

_TOKEN = re.compile(
    r"""(?P<string>(?i:\b(?:[rbuf]|rb|br|fr|rf))?
          (?:'''(?:[^\\']++|\\[\s\S]|'(?!''))*+(?:''')?|\"\"\"(?:[^\\"]++|\\[\s\S]|"(?!""))*+(?:\"\"\")?
          |'(?:[^\\'\n]++|\\[\s\S])*+'?|"(?:[^\\"\n]++|\\[\s\S])*+"?))
      |(?P<comment>\#[^\n]*+)
      |(?P<joined>\\[ \t]*\r?\n)
      |(?P<newline>\n)
      |(?P<blank>[^\S\n]++)
      |(?P<bracket>[()\[\]{}])
      |(?P<other>\w++|[\s\S])""",
    re.VERBOSE,
)
_CPP_SPACE = re.compile(r"\s+")


def canonical_digest(source: str) -> str:
    """SHA-256 of the tokens of a Python source and of the depth of its blocks, in hexadecimal digits.

    Equal for sources that differ in comments, blank lines, line breaks inside brackets, spacing or the width of their
    indentation, and in comments and spacing of the C++ and CUDA sources in their strings. A renamed variable makes
    another source.
    """
    return hashlib.sha256("\0".join(_tokens(source)).encode("utf-8", "surrogatepass")).hexdigest()


def _tokens(source: str) -> Iterator[str]:
    """The tokens that mean something; before each logical line the depth of its block."""
    widths = [0]
    width, brackets, fresh = 0, 0, True
    for found in _TOKEN.finditer(source):
        kind, text = found.lastgroup, found[0]
        if kind == "blank":
            width = _advanced(width, text) if fresh else width
        elif kind == "newline":
            if not brackets and not fresh:
                yield "\n"
                fresh = True
            width = 0 if fresh else width
        elif kind not in ("comment", "joined"):
            if fresh:
                yield str(_depth(widths, width))
                fresh = False
            if kind == "bracket":
                brackets = brackets + 1 if text in "([{" else max(0, brackets - 1)
            yield _plain_cpp(text) if kind == "string" else text


def _advanced(width: int, blank: str) -> int:
    for character in blank:
        width = (width // TAB + 1) * TAB if character == "\t" else width + 1
    return width


def _depth(widths: list[int], width: int) -> int:
    """How many blocks deep a line with this indentation is; `widths` are those of the blocks around it."""
    while widths[-1] > width:
        widths.pop()
    if widths[-1] < width:
        widths.append(width)
    return len(widths) - 1


def _plain_cpp(string: str) -> str:
    """A string literal; if it holds C++, without comments and with single spaces, but for those of directives."""
    if not looks_like_cpp(string):
        return string
    lines = (_CPP_SPACE.sub(" ", line).strip() for line in without_cpp_comments(string).split("\n"))
    return "\n".join(line for line in lines if line)
