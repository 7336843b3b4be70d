from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.clean import block, line

HOSTILE = [
    ("\x1b[31mred\x1b[0m", "red"),
    ("\x1b[2J\x1b[Hcleared", "cleared"),
    ("\x1b]0;title\x07text", "text"),
    ("\x1b]52;c;ZXZpbA==\x1b\\text", "text"),
    ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
    ("\x9b31mred", "red"),
    ("\x9d0;title\x9ctext", "text"),
    ("\x1bP1$r\x1b\\text", "text"),
    ("\x1bcreset", "reset"),
    ("a\x00b\x07c\x08d\x7fe\x85f", "abcdef"),
    ("abc\u202edef\u2066g\u200bh\ufeffi", "abcdefghi"),
    ("lone \x1b", "lone "),
    ("[bold]markup[/bold] :boom:", "[bold]markup[/bold] :boom:"),
]


@pytest.mark.parametrize(("text", "expected"), HOSTILE)
def test_what_would_command_a_terminal_is_gone(text: str, expected: str) -> None:
    assert block(text) == expected


def test_an_unfinished_sequence_does_not_swallow_what_follows() -> None:
    assert "honest" in block("\x1b]0;never ended\nhonest")


def test_block_keeps_lines_and_line_makes_one() -> None:
    assert block("a\r\n\tb\n") == "a\n\tb\n"
    assert line("a\r\n\tb\rc  d") == "a b c d"
    assert line("x" * 600, 10) == "xxxxxxxxx…"


@given(st.text())
def test_nothing_invisible_is_left(text: str) -> None:
    hidden = {c for c in block(text) if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    assert hidden <= {"\n", "\t"}
    assert "\n" not in line(text)
