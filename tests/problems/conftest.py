from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml

MINIMAL: dict[str, Any] = {
    "files": [{"name": "submission.py", "source": "@SUBMISSION@"}, {"name": "reference.py", "source": "reference.py"}],
    "lang": "py",
    "description": "Double a vector.",
    "config": {"main": "eval.py"},
}
REFERENCE = """
import torch
from task import input_t, output_t
from utils import make_match_reference


def generate_input(size: int, seed: int) -> input_t:
    return torch.randn(size, generator=torch.Generator().manual_seed(seed))


def ref_kernel(data: input_t) -> output_t:
    return 2 * data


check_implementation = make_match_reference(ref_kernel, rtol=1e-4, atol=1e-6)
"""


class Folder:
    """A problem package to be filled in by a test."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True)
        self.write("reference.py", REFERENCE)
        self.task()

    def write(self, name: str, text: str) -> None:
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def task(self, *without: str, **keys: Any) -> Path:
        content = {key: value for key, value in {**MINIMAL, **keys}.items() if key not in without}
        self.write("task.yml", yaml.safe_dump(content, sort_keys=False))
        return self.path


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "pmpp" / "double_py")


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
