"""Waiting for a word of shared memory without holding a core: futex(2), shared between processes.

Of a 64-bit word the kernel looks at the lower half, which comes first on the little-endian machines this runs on.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform

_NUMBERS = {"x86_64": 202, "aarch64": 98}
_WAIT, _WAKE = 0, 1
_EVERYBODY = 0x7FFFFFFF

_libc = ctypes.CDLL(None, use_errno=True)
_futex = _NUMBERS.get(platform.machine())


class _Timespec(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


def wake(address: int) -> None:
    """Wake whoever waits at `address`. Does nothing where the machine's number of the call is not known."""
    if _futex is not None:
        _libc.syscall(_futex, ctypes.c_void_p(address), _WAKE, _EVERYBODY, None, None, 0)


def wait(address: int, value: int, seconds: float) -> None:
    """Sleep while the word at `address` holds `value`, until a wake, a signal, or `seconds` (less than one) are over.

    Only gives the core away once where the machine's number of the call is not known. Raises OSError.
    """
    if _futex is None:
        os.sched_yield()
        return
    time = _Timespec(0, int(seconds * 1e9))
    low = ctypes.c_uint32(value & 0xFFFFFFFF)
    if _libc.syscall(_futex, ctypes.c_void_p(address), _WAIT, low, ctypes.byref(time), None, 0) == -1:
        number = ctypes.get_errno()
        if number not in (errno.EAGAIN, errno.ETIMEDOUT, errno.EINTR):
            raise OSError(number, "futex")
