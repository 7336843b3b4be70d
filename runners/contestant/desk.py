"""The desk: the one piece of memory that the judge and a contestant share, and how both read it.

A desk is a memfd of a fixed, sparse size, mapped at the same address in every contestant. It holds

- control words of 64 bits, each alone on a cache line: the judge writes REQUEST and ARMED, the contestant writes
  DONE, STATUS and FORM;
- a command (JSON, from the judge) and a message (JSON, from the contestant, about an error);
- data: the inputs and outputs of the calls of one sample, side by side. The inputs are a memfd of their own, which a
  contestant and its anchor share: on pages of different luck the same kernel differs by several percent.

The judge keeps no state on the desk and treats whatever it reads there as hostile bytes of a bounded length.
"""

from __future__ import annotations

import ctypes
import dataclasses
import json
import mmap
from typing import Any

DESK_BYTES = 8 << 30
DESK_ADDRESS = 0x2000_0000_0000
PAGE = mmap.PAGESIZE

REQUEST, DONE, STATUS, FORM, ARMED = 0, 8, 16, 24, 32
WORD_COUNT = 64
WORD_BYTES = 8

ARMED_SPINNING, ARMED_SLEEPING = 1, 2
"""Values of ARMED: judge and contestant watch each other's word, or leave the core that they share to each other."""

NAP_SECONDS = 0.005
"""How long either sleeps at most before it looks again: a wake may be lost with whoever owed it."""

COMMAND_OFFSET, COMMAND_BYTES = 1 << 16, 8 << 20
MESSAGE_OFFSET, MESSAGE_BYTES = 9 << 20, 64 << 10
INPUT_OFFSET, INPUT_BYTES = 16 << 20, 4 << 30
OUTPUT_OFFSET = INPUT_OFFSET + INPUT_BYTES
OUTPUT_BYTES = DESK_BYTES - OUTPUT_OFFSET

STATUS_OK, STATUS_ERROR = 0, 1

_MAP_NORESERVE = 0x4000
_MAP_FIXED, _MAP_FIXED_NOREPLACE = 0x10, 0x100000
_MAP_FAILED = ctypes.c_void_p(-1).value

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [
    ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long,
]  # fmt: skip


def map_desk(fd: int, inputs_fd: int, address: int | None = None) -> int:
    """Map a whole desk with its inputs, at `address` exactly if one is given, and return where it lies.

    Raises OSError.
    """
    base = _map(address, DESK_BYTES, _MAP_FIXED_NOREPLACE if address else 0, fd)
    _map(base + INPUT_OFFSET, INPUT_BYTES, _MAP_FIXED, inputs_fd)
    return base


def _map(address: int | None, size: int, flags: int, fd: int) -> int:
    flags |= mmap.MAP_SHARED | _MAP_NORESERVE
    found = _libc.mmap(address, size, mmap.PROT_READ | mmap.PROT_WRITE, flags, fd, 0)
    if found == _MAP_FAILED:
        raise OSError(ctypes.get_errno(), "the desk could not be mapped")
    return int(found)


def words_at(base: int) -> memoryview:
    """The control words of the desk mapped at `base`; an item assignment is one 64-bit store."""
    return memoryview((ctypes.c_uint64 * WORD_COUNT).from_address(base)).cast("B").cast("Q")


def write_text(base: int, offset: int, size: int, text: dict[str, Any]) -> None:
    """Write `text` as length-prefixed JSON. Raises ValueError if it does not fit in `size` bytes."""
    raw = json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass")
    if len(raw) + 8 > size:
        raise ValueError(f"a message of {len(raw)} bytes does not fit on the desk")
    ctypes.memmove(base + offset + 8, raw, len(raw))
    ctypes.c_uint64.from_address(base + offset).value = len(raw)


def read_text(base: int, offset: int, size: int) -> dict[str, Any]:
    """Read what `write_text` wrote. Whatever else is found there gives an empty dict, never an error."""
    length = ctypes.c_uint64.from_address(base + offset).value
    if length > size - 8:
        return {}
    try:
        text = json.loads(ctypes.string_at(base + offset + 8, length).decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}
    return text if isinstance(text, dict) else {}


@dataclasses.dataclass(frozen=True)
class Slot:
    """A tensor's place within one call's part of the desk: `offset` in bytes from the call's start."""

    dtype: str
    shape: tuple[int, ...]
    offset: int


@dataclasses.dataclass(frozen=True)
class CallLayout:
    """Where the inputs and outputs of each of a sample's `calls` lie.

    Call k's inputs start at ``INPUT_OFFSET + k * input_stride``; its outputs at
    ``OUTPUT_OFFSET + k * output_stride``. `skeleton` rebuilds the problem's nested data around
    the input tensors (see :mod:`runners.judge.layout`). Each of `forms` is one way to answer; all forms lie over
    one another.
    """

    calls: int
    skeleton: Any
    inputs: tuple[Slot, ...]
    forms: tuple[tuple[Slot, ...], ...]
    input_stride: int
    output_stride: int

    def input_base(self, call: int) -> int:
        """Offset on the desk of a call's inputs."""
        return INPUT_OFFSET + call * self.input_stride

    def output_base(self, call: int) -> int:
        """Offset on the desk of a call's outputs."""
        return OUTPUT_OFFSET + call * self.output_stride

    def to_json(self) -> dict[str, Any]:
        """JSON-ready form, for the command that sets a case up."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> CallLayout:
        """The inverse of :meth:`to_json`."""
        return cls(
            calls=value["calls"],
            skeleton=value["skeleton"],
            inputs=tuple(_slot(item) for item in value["inputs"]),
            forms=tuple(tuple(_slot(item) for item in form) for form in value["forms"]),
            input_stride=value["input_stride"],
            output_stride=value["output_stride"],
        )


def _slot(value: dict[str, Any]) -> Slot:
    return Slot(value["dtype"], tuple(value["shape"]), value["offset"])
