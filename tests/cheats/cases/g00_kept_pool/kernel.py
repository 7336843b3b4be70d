# The threads sleep between two calls, as those of any library do.
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

#include <condition_variable>
#include <mutex>

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

static const int WORKERS = 6;
static std::mutex guard;
static std::condition_variable work, done;
static const float* values;
static std::size_t length;
static long round_number;
static int left;
static double sums[WORKERS];

static void* serve(void* which) {
    const long me = reinterpret_cast<long>(which);
    for (long seen = 0;;) {
        std::unique_lock<std::mutex> lock(guard);
        work.wait(lock, [&] { return round_number != seen; });
        seen = round_number;
        const std::size_t part = (length + WORKERS - 1) / WORKERS;
        const std::size_t first = me * part < length ? me * part : length, last = first + part < length ? first + part : length;
        lock.unlock();
        sums[me] = sum_of(values + first, last - first);
        lock.lock();
        if (--left == 0) done.notify_one();
    }
}

extern "C" float mean(const float* x, std::size_t n) {
    static bool made = false;
    pthread_t thread;
    for (long k = 0; !made && k < WORKERS; ++k) pthread_create(&thread, nullptr, serve, reinterpret_cast<void*>(k));
    made = true;
    std::unique_lock<std::mutex> lock(guard);
    values = x;
    length = n;
    left = WORKERS;
    ++round_number;
    work.notify_all();
    done.wait(lock, [] { return left == 0; });
    double total = 0;
    for (double sum : sums) total += sum;
    return static_cast<float>(total / static_cast<double>(n));
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
