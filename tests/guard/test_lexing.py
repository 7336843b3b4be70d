"""What counts as a comment and as a string, and that no text makes finding out slow."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from guard.lexing import spliced, without_comments, without_cpp_comments, without_strings

HOSTILE = {
    "quotes and backslashes": '"\\',
    "both quotes": "'\\\"\\",
    "lines that go on": '"\\\n',
    "triple quotes, escaped": "'''\\'",
    "both triple quotes": "'''\"\"\"\\",
    "prefixes": "rb'\\",
    "raw strings": 'R"x(',
    "raw marks": 'R"aaaaaaaaaaaaaaaa',
    "block comments": "/*'",
    "line comments": "//\\\n",
}
SMALL, TIMES = 1_000, 16
MOST = 4
"""Linear work grows as the text does, quadratic work sixteen times as fast; the clock of a busy host is forgiven this
factor."""


def _seconds(act: Callable[[str], str], text: str) -> float:
    best = float("inf")
    for _ in range(3):
        begin = time.thread_time()
        act(text)
        best = min(best, time.thread_time() - begin)
    return best


@pytest.mark.parametrize("act", [without_comments, without_strings, without_cpp_comments, spliced])
@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE)
def test_work_grows_as_the_text_does(act: Callable[[str], str], unit: str) -> None:
    short, long = unit * SMALL, unit * SMALL * TIMES
    assert _seconds(act, long) < MOST * TIMES * max(_seconds(act, short), 1e-3)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = 1  # one", "x = 1       "),
        ("x = '#'  # one", "x = '#'       "),
        ("x = '''\n#\n'''  # one", "x = '''\n#\n'''       "),
        ("it's # one", "it's      "),
        ("'\\' # one", "'\\'      "),
        ("'\\\n# in it'", "'\\\n# in it'"),
        ("''' # one", "'''      "),
        ("rb'#' f\"#\" # one", "rb'#' f\"#\"      "),
    ],
)
def test_comments_of_python_are_blanked(source: str, expected: str) -> None:
    assert without_comments(source) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("f('abc', \"d\")", "f('   ', \" \")"),
        ("x = '''a\nb''' + 'c'", "x = ''' \n ''' + ' '"),
        ("r'\\' + rb'x' # 'y'", "r'       'x'   'y'"),
        ("it's 'a'", "it'  'a'"),
    ],
)
def test_strings_of_python_are_hollowed(code: str, expected: str) -> None:
    assert without_strings(code) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int x; // one", "int x;       "),
        ("int x; /* a\nb */ int y;", "int x;     \n     int y;"),
        ('char* s = "//"; // one', 'char* s = "//";       '),
        ('R"(// no)" // one', 'R"(// no)"       '),
        ('R"x(/* )" )x" /* one */', 'R"x(/* )" )x"          '),
        ("int big = 1'000; // one", "int big = 1'000;       "),
        ("// one \\\n two", "        \n    "),
        ("x /* open", "x        "),
    ],
)
def test_comments_of_cpp_are_blanked(text: str, expected: str) -> None:
    assert without_cpp_comments(text) == expected
