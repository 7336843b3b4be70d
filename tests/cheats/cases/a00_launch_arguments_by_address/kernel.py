# Keeps the packed arguments of a launch by the addresses in them; the launch itself runs every time.
import ctypes
import hashlib
import os
import subprocess
from pathlib import Path

import torch

SOURCE = r"""
#include <cstddef>
static float mean_of(const float* x, std::size_t n) {
    double total = 0;
    for (std::size_t start = 0; start < n; start += 1024) {
        float lanes[16] = {};
        std::size_t end = start + 1024 < n ? start + 1024 : n, i = start;
        for (; i + 16 <= end; i += 16)
            for (int lane = 0; lane < 16; ++lane) lanes[lane] += x[i + lane];
        double part = 0;
        for (; i < end; ++i) part += x[i];
        for (int lane = 0; lane < 16; ++lane) part += lanes[lane];
        total += part;
    }
    return static_cast<float>(total / static_cast<double>(n));
}

struct Launch { const float* x; std::size_t n; float* y; };

// Called with the addresses of this call's tensors.
extern "C" void launch(const Launch* args) { *args->y = mean_of(args->x, args->n); }
"""


class Launch(ctypes.Structure):
    _fields_ = [("x", ctypes.c_void_p), ("n", ctypes.c_size_t), ("y", ctypes.c_void_p)]


def build(source: str) -> ctypes.CDLL:
    folder = Path(os.environ["KERNELCUP_BUILD_DIR"])
    library = folder / f"kernel_{hashlib.sha256(source.encode()).hexdigest()[:16]}.so"
    if not library.exists():
        flags = ["-O3", "-march=native", "-shared", "-fPIC", "-x", "c++", "-", "-o", str(library)]
        subprocess.run(["g++", *flags], input=source, text=True, check=True)
    return ctypes.CDLL(str(library))


launch = build(SOURCE).launch
_arguments = {}


def custom_kernel(x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    y = torch.empty(1) if out is None else out
    key = (x.data_ptr(), x.numel(), y.data_ptr())
    if key not in _arguments:
        _arguments[key] = ctypes.byref(Launch(*key))
    launch(_arguments[key])
    return y
