# author: alan
# expect: ranked
# what: C++ through ctypes: sixty-four lanes a block, the blocks summed in double

import ctypes
import os
import subprocess
from pathlib import Path

import torch

SOURCE = r"""
#include <cstddef>

extern "C" void mean(const float *__restrict x, std::size_t n, float *out) {
    constexpr std::size_t LANES = 64, BLOCK = 4096;
    double total = 0.0;
    std::size_t i = 0;
    while (n - i >= LANES) {
        const std::size_t end = i + (n - i < BLOCK ? (n - i) / LANES * LANES : BLOCK);
        float lane[LANES] = {};
        for (; i < end; i += LANES)
            for (std::size_t j = 0; j < LANES; ++j) lane[j] += x[i + j];
        for (float value : lane) total += value;
    }
    for (; i < n; ++i) total += x[i];
    *out = static_cast<float>(total / static_cast<double>(n));
}
"""


def build() -> ctypes.CDLL:
    folder = Path(os.environ.get("KERNELCUP_BUILD_DIR", "."))
    library = folder / "mean.so"
    if not library.exists():
        source = folder / "mean.cpp"
        source.write_text(SOURCE)
        subprocess.run(
            ["g++", "-O3", "-march=native", "-shared", "-fPIC", str(source), "-o", str(library)], check=True
        )
    return ctypes.CDLL(str(library))


mean = build().mean
mean.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
mean.restype = None


def custom_kernel(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    mean(x.data_ptr(), x.numel(), out.data_ptr())
    return out
