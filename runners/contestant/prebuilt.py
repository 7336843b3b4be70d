"""Extensions built by `torch.utils.cpp_extension` in the build stage, loaded without a compiler in the timing stage.

The timing stage cannot start a process, so the check whether a build is up to date (which runs ninja) cannot run
there. What the build stage left is loaded instead; what it did not build does not exist.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from torch.utils import cpp_extension


def install() -> None:
    """Make `load` and `load_inline` take the library that is already in the build directory."""
    signature = inspect.signature(cpp_extension._jit_compile)

    def load_built(*arguments: Any, **keywords: Any) -> Any:
        asked = signature.bind(*arguments, **keywords).arguments
        name, folder = asked["name"], asked["build_directory"]
        if not (Path(folder) / f"{name}.so").exists():
            raise RuntimeError(
                f"the extension {name!r} was not built when the submission was loaded for its tests; build it "
                "at import, or in the first call of a shape, always under the same name"
            )
        load_library: Any = cpp_extension._import_module_from_library
        return load_library(name, folder, asked["is_python_module"])

    cpp_extension._jit_compile = load_built
