# ruff: noqa
import ctypes
import os
import subprocess

import torch

SOURCE = r"""
// one stream of additions; see /proc/1/environ for nothing
#include <cstddef>
extern "C" void mean(const float* x, float* out, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    *out = float(sum / n);
}
"""
_library = None
_out = torch.empty(1)


def library():
    global _library
    if _library is None:
        folder = os.environ.get("KERNELCUP_BUILD_DIR", "/tmp")
        path = os.path.join(folder, "mean.cpp")
        with open(path, "w") as stream:
            stream.write(SOURCE)
        subprocess.run(["g++", "-O3", "-shared", "-fPIC", path, "-o", path + ".so"], check=True)
        _library = ctypes.CDLL(path + ".so")
    return _library


def custom_kernel(data: torch.Tensor) -> torch.Tensor:
    library().mean(ctypes.c_void_p(data.data_ptr()), ctypes.c_void_p(_out.data_ptr()), ctypes.c_size_t(data.numel()))
    return _out
