"""What honest kernels and their builds do; each must work in the stages named."""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SOURCE = """
#include <cstdint>
#include <thread>
extern "C" int64_t twice(int64_t x) { int64_t y = 0; std::thread t([&] { y = 2 * x; }); t.join(); return y; }
"""
BUILD = Path("/build/twice.so")


def threads() -> int:
    found: list[int] = []
    workers = [threading.Thread(target=found.append, args=(n,)) for n in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return len(found)


def sleeps() -> bool:
    begin = time.monotonic()
    time.sleep(0.01)
    return time.monotonic() - begin >= 0.01


def temporary_files() -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x")
        path.write_text("text")
        os.link(path, Path(folder, "y"))
        os.truncate(path, 2)
        return path.read_text()


def numpy_matmul() -> float:
    import numpy

    ones = numpy.ones((256, 256), dtype=numpy.float32)
    return float((ones @ ones)[0, 0])


def torch_matmul() -> list[float]:
    import torch

    torch.set_num_threads(2)
    ones = torch.ones(512, 512)
    return [float((ones @ ones)[0, 0]), float((ones.bfloat16() @ ones.bfloat16())[0, 0]), float(ones.sum())]


def torch_convolution() -> float:
    import torch

    return float(torch.nn.functional.conv2d(torch.ones(1, 8, 32, 32), torch.ones(4, 8, 3, 3))[0, 0, 0, 0])


def torch_qr() -> bool:
    import torch

    a = torch.randn(4, 32, 32)
    q, r = torch.linalg.qr(a)
    return bool(torch.allclose(q @ r, a, atol=1e-4))


def shared_memory_pages() -> int:
    import mmap

    with mmap.mmap(-1, 1 << 20) as area:
        area[:4] = b"abcd"
        area.madvise(mmap.MADV_WILLNEED)
        return area[0]


def who_am_i() -> list[str]:
    import getpass
    import pwd

    return [getpass.getuser(), pwd.getpwuid(os.getuid()).pw_name, os.path.expanduser("~")]


def compile_and_load() -> int:
    source = Path("/build/twice.cpp")
    source.write_text(SOURCE)
    command = ["g++", "-O2", "-shared", "-fPIC", "-pthread", str(source), "-o", str(BUILD)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return load_built()


def load_built() -> int:
    function = ctypes.CDLL(str(BUILD)).twice
    function.restype = ctypes.c_int64
    return int(function(ctypes.c_int64(21)))


def run_python() -> str:
    return subprocess.run(
        [sys.executable, "-c", "import json, numpy; print(numpy.arange(3).sum())"], capture_output=True, text=True
    ).stdout.strip()


def kill_own_child() -> int:
    child = subprocess.Popen(["sleep", "100"])
    child.kill()
    return child.wait()


def inline_extension() -> int:
    """torch's load_inline with few headers: ninja and g++, with its caches under /build."""
    from torch.utils.cpp_extension import load_inline

    load_inline(
        "kc_twice",
        cpp_sources='#include <torch/csrc/stable/library.h>\nextern "C" int twice(int x) { return 2 * x; }',
        is_python_module=False,
        no_implicit_headers=True,
    )
    return len(list(Path("/build/torch_extensions").rglob("*.so")))


def refused_politely() -> str:
    """Honest code that tries for a socket gets an exception that it can handle, not a signal."""
    try:
        socket.socket()
    except PermissionError:
        return "PermissionError"
    return "none"


BOTH = ("build", "time")
WORKS: tuple[tuple[Callable[[], Any], tuple[str, ...], Any], ...] = (
    (threads, BOTH, 8),
    (sleeps, BOTH, True),
    (temporary_files, BOTH, "te"),
    (numpy_matmul, BOTH, 256.0),
    (torch_matmul, BOTH, [512.0, 512.0, 512.0 * 512]),
    (torch_convolution, BOTH, 72.0),
    (torch_qr, BOTH, True),
    (shared_memory_pages, BOTH, ord("a")),
    (who_am_i, BOTH, ["contestant", "contestant", "/build/home"]),
    (refused_politely, BOTH, "PermissionError"),
    (compile_and_load, ("build",), 42),
    (run_python, ("build",), "3"),
    (kill_own_child, ("build",), -9),
    (inline_extension, ("build",), 1),
)
