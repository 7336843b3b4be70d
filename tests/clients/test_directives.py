from __future__ import annotations

import pytest

from clients.directives import board_of
from clients.exits import UsageError


@pytest.mark.parametrize(
    ("source", "board"),
    [
        ("#!KERNELCUP board vector_mean-cpu\nimport torch\n", "vector_mean-cpu"),
        ("#!POPCORN leaderboard vectoradd_v2\n#!POPCORN gpu A100\n", "vectoradd_v2"),
        ("//!POPCORN leaderboard qr\n", "qr"),
        ("\ufeff\n# a comment\n  #! KERNELCUP   board  b  \r\nx = 1", "b"),
        ("#!POPCORN leaderboard theirs\n#!KERNELCUP board ours\n", "ours"),
        ("#!KERNELCUP board b\n#!KERNELCUP board b\n", "b"),
        ("import torch\n#!KERNELCUP board late\n", None),
        ('"""\n#!KERNELCUP board quoted\n"""\n', None),
        ("#!KERNELCUP board two words\n", None),
        ("#!POPCORN gpu A100\n", None),
        ("", None),
    ],
)
def test_the_leading_comments_name_the_board(source: str, board: str | None) -> None:
    assert board_of(source) == board


def test_two_boards_are_refused_by_name() -> None:
    with pytest.raises(UsageError, match="a, b"):
        board_of("#!KERNELCUP board a\n#!KERNELCUP board b\n")
