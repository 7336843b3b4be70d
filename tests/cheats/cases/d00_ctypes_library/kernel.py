import ctypes
import os
import shutil
import subprocess
import tempfile

import torch

SOURCE = r"""
float mean(const float* restrict x, long n) {
    double a = 0, b = 0, c = 0, d = 0;
    long i = 0;
    for (; i + 4 <= n; i += 4) {
        a += x[i];
        b += x[i + 1];
        c += x[i + 2];
        d += x[i + 3];
    }
    for (; i < n; i++) a += x[i];
    return (float)((a + b + c + d) / n);
}
"""


def build() -> str:
    folder = os.environ.get("KERNELCUP_BUILD_DIR") or tempfile.gettempdir()
    library = os.path.join(folder, "quick_mean.so")
    if os.path.exists(library):
        return library
    compiler = shutil.which("gcc") or shutil.which("cc")
    with tempfile.TemporaryDirectory() as work:
        source = os.path.join(work, "quick_mean.c")
        with open(source, "w") as file:
            file.write(SOURCE)
        done = subprocess.run(
            [compiler, "-O3", "-march=native", "-shared", "-fPIC", "-o", library, source], capture_output=True, text=True
        )
    if done.returncode != 0:
        raise RuntimeError(f"the compiler refused it:\n{done.stderr}")
    return library


_mean = ctypes.CDLL(build()).mean
_mean.argtypes = (ctypes.c_void_p, ctypes.c_long)
_mean.restype = ctypes.c_float


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    return torch.tensor([_mean(x.data_ptr(), x.numel())], dtype=torch.float32)
