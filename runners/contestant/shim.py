"""The shim: loads the submission, hands it its inputs, puts its results in place, lowers the flag.

It runs in the contestant's process, so a submission can do with it what it likes: a broken shim can only lose. All
it needs is imported before the cell closes; the submission cannot import anything of ours.
"""

from __future__ import annotations

import inspect
import linecache
import os
import re
import site
import sys
import time
import traceback
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from runners.contestant import desk, futex, prebuilt
from runners.contestant.desk import (
    ARMED,
    ARMED_SLEEPING,
    DONE,
    FORM,
    REQUEST,
    STATUS,
    STATUS_ERROR,
    STATUS_OK,
    CallLayout,
)
from runners.contestant.tensors import fill_skeleton, tensor_at

FOLDER = Path("/tmp/submission")  # noqa: S108 (the cell's own tmpfs)
OURS = ("runners", "problems", "guard", "server", "web", "clients", "migrations")
EAGER_SECONDS, IDLE_SECONDS = 0.002, 0.0002
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Refused(Exception):
    """The submission cannot be used. `kind` is what the judge turns into a message."""

    def __init__(self, kind: str, text: str = "") -> None:
        super().__init__(text)
        self.kind = kind


class Shim:
    """One contestant's life: commands from the desk, until the judge kills it."""

    def __init__(self, base: int) -> None:
        self._base = base
        self._words = desk.words_at(base)
        self._kernel: Callable[..., Any] | None = None
        self._takes_out = False
        self._calls: list[tuple[Any, Any, list[list[torch.Tensor]]]] = []
        self._seen = 0

    def serve(self) -> None:
        """Answer commands for ever."""
        operations: dict[str, Callable[[dict[str, Any]], None]] = {
            "load": self._load,
            "case": self._set_case,
            "arm": lambda _: None,
        }
        while True:
            self._wait_idle()
            command = desk.read_text(self._base, desk.COMMAND_OFFSET, desk.COMMAND_BYTES)
            self._attempt(operations[command["op"]], command)
            if self._words[ARMED]:
                self._race()

    def _wait_idle(self) -> None:
        eager_until = time.monotonic() + EAGER_SECONDS
        while (request := self._words[REQUEST]) == self._seen:
            time.sleep(0 if time.monotonic() < eager_until else IDLE_SECONDS)
        self._seen = request

    def _race(self) -> None:
        """Timed rounds: spin on the flag, call the kernel, lower the flag, until the judge disarms."""
        words = self._words
        sleeping = words[ARMED] == ARMED_SLEEPING
        while True:
            while (request := words[REQUEST]) == self._seen:
                if sleeping:
                    futex.wait(self._base + desk.WORD_BYTES * REQUEST, self._seen, desk.NAP_SECONDS)
            if not words[ARMED]:
                return
            self._seen = request
            try:
                self._run_calls()
                words[STATUS] = STATUS_OK
            except BaseException as error:
                self._report(error)
            words[DONE] = request
            if sleeping:
                futex.wake(self._base + desk.WORD_BYTES * DONE)

    def _attempt(self, operation: Callable[[dict[str, Any]], None], command: dict[str, Any]) -> None:
        try:
            operation(command)
            self._words[STATUS] = STATUS_OK
        except BaseException as error:
            self._report(error)
        self._answer(self._seen)

    def _answer(self, request: int) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        self._words[DONE] = request

    def _report(self, error: BaseException) -> None:
        text = {"kind": _kind_of(error), "type": type(error).__name__, "text": _explain(error)}
        text["text"] = text["text"].encode("utf-8", "replace").decode()[-12_000:]
        desk.write_text(self._base, desk.MESSAGE_OFFSET, desk.MESSAGE_BYTES, text)
        self._words[STATUS] = STATUS_ERROR

    def _load(self, command: dict[str, Any]) -> None:
        if command["stage"] == "time":
            prebuilt.install()
        torch.set_num_threads(command["threads"])
        FOLDER.mkdir(exist_ok=True)
        _forget_ours()
        for name, text in command["files"].items():
            _write_module(name, text)
        kernel = getattr(_run_submission(command["source"]), "custom_kernel", None)
        if kernel is None:
            raise Refused("no_kernel")
        if not callable(kernel):
            raise Refused("not_callable", f"custom_kernel is a {type(kernel).__name__}")
        self._kernel = kernel
        self._takes_out = _takes_out(kernel)

    def _set_case(self, command: dict[str, Any]) -> None:
        layout = CallLayout.from_json(command["layout"])
        self._calls = []
        for call in range(layout.calls):
            inputs = [tensor_at(self._base + layout.input_base(call), slot) for slot in layout.inputs]
            outputs = [
                [tensor_at(self._base + layout.output_base(call), slot) for slot in form] for form in layout.forms
            ]
            first = outputs[0]
            target = first[0] if len(first) == 1 else tuple(first)
            self._calls.append((fill_skeleton(layout.skeleton, inputs), target, outputs))
        if command.get("call"):
            self._run_calls()

    def _run_calls(self) -> None:
        kernel = self._kernel
        if kernel is None:
            raise Refused("no_kernel")
        # All that happens here between two calls is on the clock: as little as can be.
        form = 0
        if self._takes_out:
            for data, target, outputs in self._calls:
                result = kernel(data, out=target)
                form = 0 if result is target or result is None else _place(result, outputs)
        else:
            for data, _, outputs in self._calls:
                form = _place(kernel(data), outputs)
        self._words[FORM] = form


def enter(desk_fd: int, inputs_fd: int) -> None:
    """The cell's entry point: take the desk and serve. Never returns."""
    base = desk.map_desk(desk_fd, inputs_fd, desk.DESK_ADDRESS)
    os.close(desk_fd)
    os.close(inputs_fd)
    Shim(base).serve()


def _takes_out(kernel: Callable[..., Any]) -> bool:
    try:
        return "out" in inspect.signature(kernel).parameters
    except (TypeError, ValueError):
        return False


def _place(result: Any, forms: list[list[torch.Tensor]]) -> int:
    """Copy a result to where the judge looks for it, and say which form it has. Raises Refused."""
    only = forms[0][0] if len(forms[0]) == 1 else None
    if only is not None and type(result) is torch.Tensor and _fits(result, only):
        only.copy_(result)
        return 0
    parts = list(result) if isinstance(result, (tuple, list)) else [result]
    if result is None:
        raise Refused("none")
    if bad := [part for part in parts if not isinstance(part, torch.Tensor)]:
        raise Refused("not_a_tensor", f"a {type(bad[0]).__name__} was returned")
    for index, form in enumerate(forms):
        if len(form) == len(parts) and all(map(_fits, parts, form)):
            for part, slot in zip(parts, form, strict=True):
                if part is not slot:
                    slot.copy_(part)
            return index
    raise Refused("form", f"returned {_describe(parts)}; expected {' or '.join(_describe(f) for f in forms)}")


def _fits(part: torch.Tensor, slot: torch.Tensor) -> bool:
    return part.shape == slot.shape and part.dtype == slot.dtype and part.device == slot.device


def _describe(parts: list[torch.Tensor]) -> str:
    words = [
        f"{str(part.dtype).removeprefix('torch.')}{list(part.shape)}"
        + ("" if part.device.type == "cpu" else f" on {part.device}")
        for part in parts
    ]
    return words[0] if len(words) == 1 else f"({', '.join(words)})"


def _forget_ours() -> None:
    """Take our packages out of the submission's reach; what holds a reference keeps working."""
    for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
        del sys.modules[name]
    sys.modules.pop("__main__", None)
    sys.modules["__main__"] = types.ModuleType("__main__")
    sys.path[:] = [entry for entry in sys.path if "python" in entry and os.path.isdir(entry)]
    # Last, so that no file of the submission takes the name of an installed module.
    sys.path.append(str(FOLDER))
    sys.path_importer_cache.clear()
    os.chdir(FOLDER)


def _write_module(name: str, text: str) -> None:
    path = FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    if path.suffix == ".py" and path.parent == FOLDER:
        module = types.ModuleType(path.stem)
        module.__file__ = str(path)
        sys.modules[path.stem] = module
        exec(compile(text, str(path), "exec"), module.__dict__)  # noqa: S102 (the problem's own file)


def _run_submission(source: str) -> types.ModuleType:
    path = FOLDER / "submission.py"
    path.write_text(source, encoding="utf-8")
    module = types.ModuleType("submission")
    module.__file__ = str(path)
    sys.modules["submission"] = module
    exec(compile(source, str(path), "exec"), module.__dict__)  # noqa: S102 (that is what a cell is for)
    return module


def _kind_of(error: BaseException) -> str:
    if isinstance(error, Refused):
        return error.kind
    if isinstance(error, SyntaxError):
        return "syntax"
    if isinstance(error, MemoryError) or ("memory" in str(error) and "alloc" in str(error)):
        return "memory"
    if isinstance(error, ImportError):
        return "import"
    if isinstance(error, SystemExit):
        return "exit"
    return "exception"


def _explain(error: BaseException) -> str:
    """The error as its author would see it: the frames of the submission only."""
    if isinstance(error, Refused):
        return str(error)
    linecache.checkcache()
    chain = traceback.TracebackException.from_exception(error, limit=-12)
    frames = [frame for frame in chain.stack if not frame.filename.endswith("contestant/shim.py")]
    chain.stack = traceback.StackSummary.from_list(frames)
    text = _ANSI.sub("", "".join(chain.format())).replace(f"{FOLDER}/", "")
    for folder in sorted(site.getsitepackages(), key=len, reverse=True):
        text = text.replace(f"{folder}/", "")
    return text.replace(f"{sys.base_prefix}/", "")
