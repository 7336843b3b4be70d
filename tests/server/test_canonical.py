"""Which sources are the same kernel."""

from __future__ import annotations

import pytest

from server.canonical import canonical_digest

BASE = '''import torch

CPP = """
#include <torch/extension.h>
torch::Tensor run(torch::Tensor x) {
    return x.mean();  // all of it
}
"""


def custom_kernel(data):
    total = data.sum(dtype=torch.float64)
    if total > 1:
        return (total / data.numel()).reshape(1)
    return torch.zeros(1)
'''


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import torch\n", "# try 2\nimport torch  # a comment\n\n\n"),
        ("data.sum(dtype=torch.float64)", "data.sum( dtype = torch . float64 )"),
        ("(total / data.numel())", "(total /  # over\n\n     data.numel())"),
        ("total = data", "total = \\\n  data"),
        ("    ", "\t"),
        ("    ", "  "),
        ("\n", "\r\n"),
        ("    return torch.zeros(1)\n", "    return torch.zeros(1)   \n\n  # the end"),
        ("// all of it", "/* all */ // of it"),
        ("    return x.mean();", "  return   x.mean();"),
    ],
)
def test_comments_and_white_space_do_not_count(old: str, new: str) -> None:
    changed = BASE.replace(old, new)
    assert changed != BASE
    assert canonical_digest(changed) == canonical_digest(BASE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("total > 1", "total > 2"),
        ("sum", "mean"),
        ("    return torch.zeros(1)\n", "        return torch.zeros(1)\n"),
        ("x.mean()", "x.sum()"),
        ("import torch\n", 'import torch\nNAME = "#"\n'),
        ("import torch\n", "import torch\nimport os\n"),
        ("total = data", "to tal = data"),
        ("#include <torch/extension.h>\n", "#include <torch/extension.h>\n#define A 1\n"),
    ],
)
def test_everything_else_counts(old: str, new: str) -> None:
    assert canonical_digest(BASE.replace(old, new)) != canonical_digest(BASE)


def test_white_space_in_plain_strings_counts() -> None:
    assert canonical_digest('x = "a  # b"\n') != canonical_digest('x = "a # b"\n')


@pytest.mark.parametrize(
    "source",
    ["", "\n", "'", '"""', "(", ")", "\\", "x = (", "  x\n y\n", "\ud800", "\f", '"\\', "r'\\\n", "f'{x!r:>{y}}'"],
)
def test_any_text_has_a_digest(source: str) -> None:
    assert len(canonical_digest(source)) == 64


@pytest.mark.parametrize("piece", ['"\\', "'", '"""', "(", "\\\n", "\n ", "rb", '"a', "#", "\t"])
def test_hostile_repetition_takes_time_in_proportion(piece: str) -> None:
    assert len(canonical_digest(piece * (300_000 // len(piece)))) == 64
