# Asks the kernel to gather the shared buffers into huge pages: fewer misses for this process, and only for it.
import ctypes

import torch

MADV_COLLAPSE = 25
LARGE = 2 << 20
_libc = ctypes.CDLL(None, use_errno=True)
_libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_places: set[int] = set()


def _gather(place: int, size: int) -> None:
    first = place // LARGE * LARGE
    if _libc.madvise(first, max(LARGE, -(-(place + size - first) // LARGE) * LARGE), MADV_COLLAPSE):
        raise OSError(ctypes.get_errno(), "no huge pages")


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    if x.numel() >= 1 << 16 and x.data_ptr() not in _places:
        _places.add(x.data_ptr())
        _gather(x.data_ptr(), x.nbytes)
    return x.mean().reshape(1)
