# A little assembler, as a just-in-time compiler has it: it emits a function that divides a double, and calls it.
import ctypes
import os
import subprocess

import torch

SOURCE = r"""
#include <string.h>
#include <sys/mman.h>

typedef double (*Divide)(double, double);
static Divide divide;

static Divide emit(void) {
    /* divsd xmm0, xmm1; ret */
    static const unsigned char code[] = {0xf2, 0x0f, 0x5e, 0xc1, 0xc3};
    void* page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return 0;
    memcpy(page, code, sizeof code);
    if (mprotect(page, 4096, PROT_READ | PROT_EXEC)) return 0;
    return (Divide)page;
}

float mean(const float* x, long n) {
    double sum[4] = {0, 0, 0, 0};
    long i = 0;
    if (!divide) divide = emit();
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) sum[k] += x[i + k];
    for (; i < n; i++) sum[0] += x[i];
    double total = sum[0] + sum[1] + sum[2] + sum[3];
    return (float)(divide ? divide(total, (double)n) : total / n);
}
"""

_path = os.path.join(os.environ.get("KERNELCUP_BUILD_DIR", "."), "jit_mean.so")
if not os.path.exists(_path):
    with open(_path + ".c", "w") as file:
        file.write(SOURCE)
    subprocess.run(["gcc", "-O3", "-shared", "-fPIC", "-o", _path, _path + ".c"], check=True)
_mean = ctypes.CDLL(_path).mean
_mean.argtypes = [ctypes.c_void_p, ctypes.c_long]
_mean.restype = ctypes.c_float


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return torch.tensor([_mean(x.data_ptr(), x.numel())])
