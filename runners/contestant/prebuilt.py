"""What the build stage compiled, for the timing stage, which can't start a process.

Two things keep compilers from taking their own caches there. `torch.utils.cpp_extension` runs ninja to see whether a
build is up to date: what the build stage left is loaded instead, and what it did not build does not exist. And many
ask the compiler for its version, or whether it knows an instruction set, before they look into their cache: what a
program answered in the build stage it answers again. All of this happens in the submission's own process and /build,
so it can only deceive itself with it.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from torch.utils import cpp_extension

MOST_ANSWER_CHARACTERS = 1 << 16
_NOT_ASKED = frozenset({"check", "timeout", "env", "capture_output"})
"""Arguments of :func:`subprocess.run` that do not change what a program is asked."""

_run = subprocess.run


def install() -> None:
    """In the timing stage: take the libraries and the answers that the build stage left."""
    _load_built_extensions()
    known = _read_answers(_answers_file())

    def run(*arguments: Any, **keywords: Any) -> subprocess.CompletedProcess[Any]:
        found = known.get(_question(arguments, keywords))
        if found is None:
            return _run(*arguments, **keywords)
        command = arguments[0] if arguments else keywords["args"]
        done = subprocess.CompletedProcess(command, found["code"], _loaded(found["out"]), _loaded(found["err"]))
        if keywords.get("check"):
            done.check_returncode()
        return done

    _replace_run(run)


def remember() -> None:
    """In the build stage: write down what programs answer that are run by :mod:`subprocess` and waited for."""
    file = _answers_file()

    def run(*arguments: Any, **keywords: Any) -> subprocess.CompletedProcess[Any]:
        try:
            done = _run(*arguments, **keywords)
        except subprocess.CalledProcessError as error:
            _write_answer(file, _question(arguments, keywords), error.returncode, error.stdout, error.stderr)
            raise
        _write_answer(file, _question(arguments, keywords), done.returncode, done.stdout, done.stderr)
        return done

    _replace_run(run)


def _replace_run(run: Callable[..., subprocess.CompletedProcess[Any]]) -> None:
    """Have `run`, and what is made of it, go through `run`."""

    def call(*arguments: Any, **keywords: Any) -> int:
        return run(*arguments, **keywords).returncode

    subprocess.run = run
    subprocess.call = call


def _load_built_extensions() -> None:
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


def _answers_file() -> Path:
    return Path(os.environ["KERNELCUP_BUILD_DIR"], ".answers")


def _question(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> str:
    """A command and how its output is taken, as text; objects that are one process's own never compare as equal."""
    asked = dict(keywords)
    if asked.pop("capture_output", False):
        asked |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = arguments[0] if arguments else asked.pop("args", None)
    words = command if isinstance(command, (str, bytes, os.PathLike)) else list(command or ())
    rest = sorted((name, repr(value)) for name, value in asked.items() if name not in _NOT_ASKED)
    return repr((words, arguments[1:], rest, os.getcwd()))


def _write_answer(file: Path, question: str, code: int, out: Any, err: Any) -> None:
    with contextlib.suppress(OSError, TypeError):
        line = json.dumps([question, {"code": code, "out": _dumped(out), "err": _dumped(err)}])
        if len(line) <= MOST_ANSWER_CHARACTERS:
            with file.open("a", encoding="utf-8") as answers:
                answers.write(line + "\n")


def _read_answers(file: Path) -> dict[str, dict[str, Any]]:
    """The last answer to each question; a line that is none is passed over."""
    known = {}
    with contextlib.suppress(OSError, ValueError, TypeError):
        for line in file.read_text(encoding="utf-8").splitlines():
            question, answer = json.loads(line)
            known[question] = answer
    return known


def _dumped(output: Any) -> Any:
    return {"bytes": output.decode("latin-1")} if isinstance(output, bytes) else output


def _loaded(output: Any) -> Any:
    return output["bytes"].encode("latin-1") if isinstance(output, dict) else output
