"""A library that the submission compiles itself, loaded through ctypes."""

import ctypes
import os
import subprocess
from pathlib import Path

import torch

SOURCE = """
extern "C" double total(const float* x, long n) {
    double sum = 0;
    for (long i = 0; i < n; ++i) sum += x[i];
    return sum;
}
"""
LIBRARY = Path(os.environ["KERNELCUP_BUILD_DIR"], "total.so")
if not LIBRARY.exists():
    LIBRARY.with_suffix(".cpp").write_text(SOURCE)
    command = ["g++", "-O3", "-ffast-math", "-shared", "-fPIC", str(LIBRARY.with_suffix(".cpp")), "-o", str(LIBRARY)]
    subprocess.run(command, check=True)
TOTAL = ctypes.CDLL(str(LIBRARY)).total
TOTAL.restype = ctypes.c_double


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    total = TOTAL(ctypes.c_void_p(x.data_ptr()), ctypes.c_long(x.numel()))
    return torch.tensor([total / x.numel()], dtype=torch.float32)
