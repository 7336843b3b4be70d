from pathlib import Path

from problems.checks import CHECKS
from problems.inputs import VECTORS
from problems.matrices import MATRICES
from problems.reading import KEYS, LIMITS

GUIDE = (Path(__file__).parents[2] / "docs" / "problems.md").read_text(encoding="utf-8")


def test_the_guide_names_every_key_limit_check_and_family() -> None:
    missing = [name for name in (*KEYS, *LIMITS, *CHECKS, *VECTORS, *MATRICES) if f"`{name}`" not in GUIDE]
    assert missing == []
