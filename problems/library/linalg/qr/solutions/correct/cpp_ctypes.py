# Correct: unblocked Householder reflections in C++, compiled by the submission itself.
import ctypes
import hashlib
import os
import subprocess
from pathlib import Path

import torch

SOURCE = r"""
#include <cmath>
#include <vector>

// Turn column k below row k into a reflector: v below the diagonal (v[k] = 1 is implied), beta on it.
static float reflector(float* a, long m, long n, long k) {
    double below = 0;  // double, so that neither squares nor their sum over- or underflow
    for (long i = k + 1; i < m; ++i) below += double(a[i * n + k]) * a[i * n + k];
    if (below == 0) return 0;
    const double alpha = a[k * n + k];
    const double beta = -std::copysign(std::sqrt(alpha * alpha + below), alpha);
    for (long i = k + 1; i < m; ++i) a[i * n + k] = float(a[i * n + k] / (alpha - beta));
    a[k * n + k] = float(beta);
    return float((beta - alpha) / beta);
}

// Apply I - tau v v' to the columns after k; rows are contiguous, so both loops over j are vector code.
static void apply(float* a, long m, long n, long k, float tau, float* w) {
    for (long j = k + 1; j < n; ++j) w[j] = a[k * n + j];
    for (long i = k + 1; i < m; ++i)
        for (long j = k + 1; j < n; ++j) w[j] += a[i * n + k] * a[i * n + j];
    for (long j = k + 1; j < n; ++j) w[j] *= tau;
    for (long j = k + 1; j < n; ++j) a[k * n + j] -= w[j];
    for (long i = k + 1; i < m; ++i)
        for (long j = k + 1; j < n; ++j) a[i * n + j] -= a[i * n + k] * w[j];
}

extern "C" void geqrf(float* a, float* tau, long batch, long m, long n) {
    std::vector<float> w(n);
    for (long b = 0; b < batch; ++b, a += m * n, tau += n)
        for (long k = 0; k < n; ++k) {
            tau[k] = reflector(a, m, n, k);
            if (tau[k] != 0) apply(a, m, n, k, tau[k], w.data());
        }
}
"""


def build(source: str) -> ctypes.CDLL:
    # Timed runs can neither start a compiler nor write here: they find what the build step left.
    folder = Path(os.environ["KERNELCUP_BUILD_DIR"])
    library = folder / f"qr_{hashlib.sha256(source.encode()).hexdigest()[:16]}.so"
    if not library.exists():
        flags = ["-O3", "-march=native", "-shared", "-fPIC", "-x", "c++", "-", "-o", str(library)]
        subprocess.run(["g++", *flags], input=source, text=True, check=True)
    return ctypes.CDLL(str(library))


geqrf = build(SOURCE).geqrf
geqrf.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long, ctypes.c_long, ctypes.c_long]
geqrf.restype = None


def custom_kernel(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    h = a.clone()
    tau = torch.empty(a.shape[0], a.shape[2])
    geqrf(h.data_ptr(), tau.data_ptr(), *a.shape)
    return h, tau
