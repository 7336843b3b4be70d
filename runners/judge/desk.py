"""The judge's hand on a desk: write fresh inputs, poison outputs, copy outputs out."""

from __future__ import annotations

import ctypes
import fcntl
import os
from typing import Any

import torch

from runners.contestant import desk, futex
from runners.contestant.desk import CallLayout
from runners.contestant.tensors import tensor_at
from runners.judge.layout import leaves_of

F_ADD_SEALS = 1033
SEALS = 0x1 | 0x2 | 0x4  # F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW: no SIGBUS by a contestant's ftruncate

_libc = ctypes.CDLL(None)
_libc.memcmp.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]

# All bits set is a NaN in every floating type and -1 in every signed one: no honest kernel's answer.
POISON = 0xFF


def make_desk_fd() -> int:
    """A new sealed desk, sparse: pages exist once touched."""
    return _sealed("desk", desk.DESK_BYTES)


def make_inputs_fd() -> int:
    """New sealed memory for the inputs of one desk, or of two that are compared."""
    return _sealed("inputs", desk.INPUT_BYTES)


def _sealed(name: str, size: int) -> int:
    fd = os.memfd_create(name, os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
    os.ftruncate(fd, size)
    fcntl.fcntl(fd, F_ADD_SEALS, SEALS)
    return fd


class JudgeDesk:
    """A desk as the judge sees it. Map it only once all cells are forked: no cell may inherit the mapping."""

    def __init__(self, fd: int, inputs_fd: int) -> None:
        self.base = desk.map_desk(fd, inputs_fd)
        self.words = desk.words_at(self.base)
        self._layout: CallLayout | None = None

    def command(self, text: dict[str, Any]) -> None:
        """Put a command where the contestant reads it; raising REQUEST is up to the caller."""
        desk.write_text(self.base, desk.COMMAND_OFFSET, desk.COMMAND_BYTES, text)

    def message(self) -> dict[str, str]:
        """What the contestant says about its error: strings only, each of a bounded length."""
        text = desk.read_text(self.base, desk.MESSAGE_OFFSET, desk.MESSAGE_BYTES)
        return {key: value for key, value in text.items() if isinstance(key, str) and isinstance(value, str)}

    def wait_for_done(self, value: int) -> None:
        """Sleep while DONE holds `value`, a few milliseconds at most."""
        futex.wait(self.base + desk.WORD_BYTES * desk.DONE, value, desk.NAP_SECONDS)

    def set_layout(self, layout: CallLayout) -> None:
        """Use `layout` from now on."""
        self._layout = layout

    @property
    def layout(self) -> CallLayout:
        """The layout in use."""
        if self._layout is None:
            raise RuntimeError("no case has been set on this desk")
        return self._layout

    def write_inputs(self, call: int, data: Any) -> None:
        """Write one call's inputs afresh: whatever the contestant left there is gone."""
        base = self.base + self.layout.input_base(call)
        for slot, leaf in zip(self.layout.inputs, leaves_of(data), strict=True):
            tensor_at(base, slot).copy_(leaf)

    def poison_outputs(self) -> None:
        """Fill every output of every call with :data:`POISON`; this also touches all their pages."""
        layout = self.layout
        ctypes.memset(self.base + layout.output_base(0), POISON, layout.calls * layout.output_stride)

    def read_outputs(self, call: int, form: int) -> tuple[torch.Tensor, ...]:
        """Copies of one call's outputs; a `form` out of range reads as the first."""
        layout = self.layout
        slots = layout.forms[form] if form < len(layout.forms) else layout.forms[0]
        base = self.base + layout.output_base(call)
        return tuple(tensor_at(base, slot).clone() for slot in slots)

    def inputs_changed(self, call: int, data: Any) -> bool:
        """Whether the contestant wrote to a call's inputs (bytes compared with the judge's own copy)."""
        base = self.base + self.layout.input_base(call)
        kept = [leaf.contiguous() for leaf in leaves_of(data)]
        return any(
            leaf.nbytes and _libc.memcmp(base + slot.offset, leaf.data_ptr(), leaf.nbytes)
            for slot, leaf in zip(self.layout.inputs, kept, strict=True)
        )
