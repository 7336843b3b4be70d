# Four threads a call, all joined.
import ctypes
import hashlib
import os
import subprocess
from pathlib import Path

import torch

SOURCE = r"""
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

static double sum_of(const float* x, std::size_t n) {
    double total = 0;
    for (std::size_t start = 0; start < n; start += 1024) {
        float lanes[16] = {};
        std::size_t end = start + 1024 < n ? start + 1024 : n, i = start;
        for (; i + 16 <= end; i += 16)
            for (int lane = 0; lane < 16; ++lane) lanes[lane] += x[i + lane];
        double part = 0;
        for (; i < end; ++i) part += x[i];
        for (int lane = 0; lane < 16; ++lane) part += lanes[lane];
        total += part;
    }
    return total;
}

extern "C" float mean(const float* x, std::size_t n) {
    double sums[4] = {};
    std::vector<std::thread> threads;
    const std::size_t part = (n + 3) / 4;
    for (std::size_t k = 0; k < 4; ++k) {
        const std::size_t first = k * part < n ? k * part : n, last = first + part < n ? first + part : n;
        if (first < last)
            threads.emplace_back([&sums, x, k, first, last] { sums[k] = sum_of(x + first, last - first); });
    }
    for (std::thread& thread : threads) thread.join();
    return static_cast<float>((sums[0] + sums[1] + sums[2] + sums[3]) / n);
}
"""


def build(source: str) -> ctypes.CDLL:
    folder = Path(os.environ["KERNELCUP_BUILD_DIR"])
    library = folder / f"kernel_{hashlib.sha256(source.encode()).hexdigest()[:16]}.so"
    if not library.exists():
        flags = ["-O3", "-march=native", "-shared", "-fPIC", "-pthread", "-x", "c++", "-", "-o", str(library)]
        subprocess.run(["g++", *flags], input=source, text=True, check=True)
    return ctypes.CDLL(str(library), use_errno=True)


mean = build(SOURCE).mean
mean.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
mean.restype = ctypes.c_float


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return torch.tensor([mean(x.data_ptr(), x.numel())])
