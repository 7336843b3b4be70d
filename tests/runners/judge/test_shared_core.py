"""Where judge and contestant have one core between them, each leaves it to the other instead of spinning."""

from __future__ import annotations

import ctypes
import mmap
import os
import secrets
import threading
import time

import pytest

from problems.spec import library
from runners.contestant import futex
from runners.judge.local import judge
from runners.protocol import Brief, Mode, Verdict
from runners.sandbox.level import probe
from runners.sandbox.warm import WarmServer
from tests.runners.judge.conftest import QUICK

LONG_SECONDS = 0.9
SOURCE = "import torch\n\n\ndef custom_kernel(x, out):\n    torch.mean(x, dim=0, keepdim=True, out=out)\n"


@pytest.fixture
def word() -> ctypes.c_uint64:
    return ctypes.c_uint64.from_buffer(mmap.mmap(-1, mmap.PAGESIZE))


def test_a_sleeper_is_woken(word: ctypes.c_uint64) -> None:
    address = ctypes.addressof(word)
    woken = threading.Event()

    def sleep() -> None:
        while word.value == 0:
            futex.wait(address, 0, LONG_SECONDS)
        woken.set()

    thread = threading.Thread(target=sleep)
    thread.start()
    time.sleep(0.05)
    assert not woken.is_set()
    word.value = 1
    futex.wake(address)
    assert woken.wait(30)
    thread.join()


def test_a_word_that_has_changed_or_never_does_lets_the_sleeper_go(word: ctypes.c_uint64) -> None:
    word.value = (7 << 32) + 1
    futex.wait(ctypes.addressof(word), 0, LONG_SECONDS)
    futex.wait(ctypes.addressof(word), word.value, 0.01)
    assert word.value == (7 << 32) + 1


def test_a_kernel_is_timed_on_the_only_core() -> None:
    if missing := probe().missing():
        pytest.skip("this host cannot run untrusted code: " + "; ".join(missing))
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        with WarmServer() as warm:
            folder = str(library()["basics/vector_mean"])
            brief = Brief(Mode.BENCHMARK, folder, SOURCE, "kernel.py", secrets.token_hex(32), QUICK, ())
            report = judge(brief, warm=warm)
    finally:
        os.sched_setaffinity(0, cores)
    assert report.verdict is Verdict.PASSED, (report.message, report.detail)
    assert report.level["own_core"] == "no"
    assert all(case.timing.reveal != "one by one" for case in report.cases if case.timing)
