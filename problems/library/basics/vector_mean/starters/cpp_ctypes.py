# The mean of a vector in C++, compiled when the file is imported and called through ctypes.
import ctypes
import hashlib
import os
import subprocess
from pathlib import Path

import torch

SOURCE = r"""
#include <cstddef>

// Sixteen sums side by side keep the vector units busy, and short runs keep the rounding errors small.
static float short_sum(const float* x, std::size_t n) {
    float lanes[16] = {};
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (int lane = 0; lane < 16; ++lane) lanes[lane] += x[i + lane];
    float rest = 0;
    for (; i < n; ++i) rest += x[i];
    for (int step = 8; step; step /= 2)
        for (int lane = 0; lane < step; ++lane) lanes[lane] += lanes[lane + step];
    return lanes[0] + rest;
}

extern "C" void mean(const float* x, std::size_t n, float* y) {
    double total = 0;
    for (std::size_t start = 0; start < n; start += 1024)
        total += short_sum(x + start, n - start < 1024 ? n - start : 1024);
    *y = static_cast<float>(total / static_cast<double>(n));
}
"""


def build(source: str) -> ctypes.CDLL:
    # Timed runs can neither start a compiler nor write here: they find what the build step left.
    folder = Path(os.environ["KERNELCUP_BUILD_DIR"])
    library = folder / f"mean_{hashlib.sha256(source.encode()).hexdigest()[:16]}.so"
    if not library.exists():
        flags = ["-O3", "-march=native", "-shared", "-fPIC", "-x", "c++", "-", "-o", str(library)]
        subprocess.run(["g++", *flags], input=source, text=True, check=True)
    return ctypes.CDLL(str(library))


mean = build(SOURCE).mean
mean.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
mean.restype = None


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty(1)
    mean(x.data_ptr(), x.numel(), y.data_ptr())
    return y
