# ctypes hands data_ptr() to a small library; its threads end before the function returns.
import ctypes
import os
import subprocess

import torch

SOURCE = r"""
#include <pthread.h>

typedef struct { const float* x; long n; double sum; } Part;

static void* add(void* given) {
    Part* part = given;
    double sum[8] = {0};
    long i = 0;
    for (; i + 8 <= part->n; i += 8)
        for (int k = 0; k < 8; k++) sum[k] += part->x[i + k];
    for (; i < part->n; i++) sum[0] += part->x[i];
    for (int k = 0; k < 8; k++) part->sum += sum[k];
    return 0;
}

float mean(const float* x, long n) {
    Part parts[2] = {{x, n / 2, 0}, {x + n / 2, n - n / 2, 0}};
    pthread_t other;
    int threaded = n > 1000000 && pthread_create(&other, 0, add, &parts[0]) == 0;
    add(&parts[1]);
    if (threaded) pthread_join(other, 0);
    else add(&parts[0]);
    return (float)((parts[0].sum + parts[1].sum) / n);
}
"""

_path = os.path.join(os.environ.get("KERNELCUP_BUILD_DIR", "."), "mean.so")
if not os.path.exists(_path):
    with open(_path + ".c", "w") as file:
        file.write(SOURCE)
    subprocess.run(["gcc", "-O3", "-shared", "-fPIC", "-pthread", "-o", _path, _path + ".c"], check=True)
_mean = ctypes.CDLL(_path).mean
_mean.argtypes = [ctypes.c_void_p, ctypes.c_long]
_mean.restype = ctypes.c_float


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return torch.tensor([_mean(x.data_ptr(), x.numel())])
