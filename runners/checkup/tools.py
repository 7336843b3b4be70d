"""What kernels are built with."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import sys
from collections.abc import Callable

from runners.checkup.line import Line, Status, line

TOPIC = "tools"
_PROGRAMS = {
    "g++": "apt-get install g++: without it no C++ kernel builds",
    "ninja": "apt-get install ninja-build: without it torch's load_inline does not work",
}
_PACKAGES = {
    "torch": (Status.MISSING, "pip install torch"),
    "triton": (Status.WEAK, "pip install 'kernelcup[triton]': without it no Triton kernel runs"),
}

Which = Callable[[str], str | None]
Version = Callable[[str], str]


def tools_lines(which: Which | None = None, version: Version = importlib.metadata.version) -> list[Line]:
    """Compilers, and packages with their versions."""
    find = which or _which
    found = {name: find(name) for name in _PROGRAMS}
    lines = [
        line(TOPIC, name, path or "not found", _PROGRAMS[name], good=path is not None, otherwise=Status.MISSING)
        for name, path in found.items()
    ]
    for name, (lack, advice) in _PACKAGES.items():
        installed = _installed(name, version)
        lines.append(line(TOPIC, name, installed or "not installed", advice, good=bool(installed), otherwise=lack))
    return lines


def _installed(name: str, version: Version) -> str | None:
    try:
        return version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _which(name: str) -> str | None:
    """Where a kernel would find the program: in the system's folders, or beside the interpreter."""
    folders = ("/usr/local/bin", "/usr/bin", "/bin", os.path.dirname(sys.executable))
    return shutil.which(name, path=os.pathsep.join(folders))
