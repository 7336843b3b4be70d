import ctypes
import os
import subprocess

import torch

SOURCE = r"""
extern "C" void mean(const float* x, long n, float* out) {
    double sum = 0;
    #pragma omp parallel for reduction(+ : sum) schedule(static) if (n > 200000)
    for (long i = 0; i < n; i++) sum += x[i];
    *out = (float)(sum / n);
}
"""

FOLDER = os.environ.get("KERNELCUP_BUILD_DIR", ".")
LIBRARY = os.path.join(FOLDER, "libomp_mean.so")
if not os.path.exists(LIBRARY):
    with open(os.path.join(FOLDER, "omp_mean.cpp"), "w") as file:
        file.write(SOURCE)
    subprocess.run(
        ["g++", "-O3", "-ffast-math", "-fopenmp", "-shared", "-fPIC", "-o", LIBRARY, os.path.join(FOLDER, "omp_mean.cpp")],
        check=True,
    )
native = ctypes.CDLL(LIBRARY)
native.mean.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_void_p]


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty(1, dtype=torch.float32, device=x.device)
    native.mean(x.data_ptr(), x.numel(), out.data_ptr())
    return out
