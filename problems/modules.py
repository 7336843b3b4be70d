"""Runs a package's ``reference.py``, whose ``import task`` and ``import utils`` mean the package's or our own.

Each package has its own: nothing is put into :data:`sys.modules` under those short names, so that several problems can
live in one process, and a module of the same name elsewhere stays what it is.
"""

from __future__ import annotations

import builtins
import hashlib
import sys
import types
from pathlib import Path
from typing import Any

from problems.model import SUBMISSION, ProblemSpec, SpecError

_PROVIDED = Path(__file__).parent / "provided"
_NEVER_SHOWN = ("eval.py", "reference.py")


def contestant_files(directory: Path, spec: ProblemSpec) -> dict[str, str]:
    """The Python files beside a submission, name to text: ``task.py``, ``utils.py`` and what else ``files`` names."""
    texts = {name: (_PROVIDED / name).read_text(encoding="utf-8") for name in ("task.py", "utils.py")}
    for name, source in spec.files.items():
        if source != SUBMISSION and name not in _NEVER_SHOWN:
            texts[name] = (directory / source).read_text(encoding="utf-8")
    return texts


class PackageModules:
    """The modules of one package; loaded when first imported."""

    def __init__(self, directory: Path, texts: dict[str, str]) -> None:
        self._directory = directory
        self._texts = {Path(name).stem: (name, text) for name, text in texts.items() if name.endswith(".py")}
        self._prefix = "problems_package_" + hashlib.sha256(str(directory).encode()).hexdigest()[:12]
        self._loaded: dict[str, types.ModuleType] = {}

    def load(self, name: str) -> types.ModuleType:
        """The package's module called `name`. Raises SpecError if running it fails."""
        if name in self._loaded:
            return self._loaded[name]
        file_name, text = self._texts[name]
        module = types.ModuleType(f"{self._prefix}_{name}")
        module.__file__ = str(self._directory / file_name)
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": self._import}
        # Dataclasses and pickle look a module up by its name.
        sys.modules[module.__name__] = self._loaded[name] = module
        try:
            # S102: the package is trusted as our own code is: an organiser chose it.
            exec(compile(text, module.__file__, "exec"), module.__dict__)  # noqa: S102
        except Exception as error:
            del sys.modules[module.__name__], self._loaded[name]
            raise SpecError(f"{file_name}: does not run: {type(error).__name__}: {error}") from error
        return module

    def _import(
        self, name: str, scope: Any = None, local: Any = None, wanted: tuple[str, ...] | None = (), level: int = 0
    ) -> types.ModuleType:
        if level == 0 and name in self._texts:
            return self.load(name)
        return builtins.__import__(name, scope, local, wanted or (), level)
