"""A library that the submission compiles at every load, whatever is there: the timed stage remembers the answer."""

import ctypes
import subprocess

import torch

SOURCE = """
extern "C" double total(const float* x, long n) {
    double sum = 0;
    for (long i = 0; i < n; ++i) sum += x[i];
    return sum;
}
"""
with open("/build/total.cpp", "w") as file:
    file.write(SOURCE)
subprocess.check_call(["g++", "-O2", "-shared", "-fPIC", "/build/total.cpp", "-o", "/build/total.so"])
TOTAL = ctypes.CDLL("/build/total.so").total
TOTAL.restype = ctypes.c_double


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    total = TOTAL(ctypes.c_void_p(x.data_ptr()), ctypes.c_long(x.numel()))
    return torch.tensor([total / x.numel()], dtype=torch.float32)
