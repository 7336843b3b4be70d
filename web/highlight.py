"""Source code as highlighted HTML, by classes only: both themes colour it in CSS."""

from __future__ import annotations

from functools import lru_cache

from markupsafe import Markup, escape
from pygments import highlight as pygments_highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from web.author_text import visible

_LARGEST = 100_000
_LEXERS = {
    "py": "python", "python": "python", "cu": "cuda", "cuh": "cuda", "cuda": "cuda", "c": "c", "h": "c",
    "cpp": "cpp", "cc": "cpp", "hpp": "cpp", "c++": "cpp", "sh": "bash", "bash": "bash", "console": "console",
    "json": "json", "yml": "yaml", "yaml": "yaml",
}  # fmt: skip


def _lexer(file_name: str) -> Lexer | None:
    name = _LEXERS.get(file_name.rpartition(".")[2].lower())
    if name is None:
        return None
    try:
        return get_lexer_by_name(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


@lru_cache(maxsize=128)
def highlight(source: str, file_name: str) -> Markup:
    """`source` as spans of Pygments' short classes, coloured by the ending of `file_name`.

    Anything larger than 100 kB, or of an unknown language, is only escaped.
    """
    source = visible(source)
    lexer = _lexer(file_name) if len(source) <= _LARGEST else None
    if lexer is None:
        return escape(source)
    return Markup(pygments_highlight(source, lexer, HtmlFormatter(nowrap=True)))


@lru_cache(maxsize=128)
def numbered(source: str, file_name: str, marked: tuple[int, ...] = ()) -> Markup:
    """`source` line by line, each with the anchor ``L<number>`` and `marked` ones with the class ``hit``.

    The numbers come from CSS, so that copying takes the code alone.
    """
    lines = str(highlight(source, file_name)).removesuffix("\n").split("\n")
    marked_up = (_line(number, Markup(text), number in marked) for number, text in enumerate(lines, start=1))
    return Markup("\n").join(marked_up)


def _line(number: int, code: Markup, hit: bool) -> Markup:
    return Markup('<span class="line{hit}" id="L{number}">{code}</span>').format(
        hit=" hit" if hit else "", number=number, code=code
    )
