"""What no single program of the corpus can show: two runs, the generator of seeds, and cheats out of their cell."""

from __future__ import annotations

import ast
import os
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from runners.judge.clock import StopClock, Unstoppable
from runners.judge.keys import call_key
from runners.judge.local import judge
from runners.protocol import Brief, CaseSpec, Event, Mode, Report, Verdict
from runners.sandbox.warm import WarmServer
from tests.cheats.corpus import CASES
from tests.cheats.judging import LIMITS, small_problem

HIDDEN = 66003
MEAN = "import torch\ndef custom_kernel(x):\n    return x.mean().reshape(1)\n"


def judged(source: str, mode: Mode, warm: WarmServer, root: Path) -> tuple[Report, list[Event]]:
    folder = small_problem("basics/vector_mean", root)
    hidden = (CaseSpec(0, {"n": HIDDEN, "family": "integers"}, hidden=True),)
    events: list[Event] = []
    brief = Brief(mode, str(folder), source, "submission.py", secrets.token_hex(32), LIMITS, hidden)
    return judge(brief, warm=warm, on_event=events.append), events


PLANT = """
import os
from pathlib import Path
MARK = "{mark}"
PLACES = ["/build", "/build/home", "/build/torch_extensions", "/build/triton", "/build/cache", "/tmp", "/dev/shm"]
PLACES += [os.environ["HOME"], os.path.dirname(os.__file__), os.path.dirname(__import__("torch").__file__), "/run"]
"""
LEAVE = """
left = 0
for place in PLACES:
    try:
        Path(place).mkdir(parents=True, exist_ok=True)
        Path(place, MARK).write_text("import torch")
        left += 1
    except OSError:
        pass
print(left, "left")
"""
FIND = """
found = [str(path) for place in PLACES for path in [Path(place, MARK)] if path.exists()]
print(found, "found")
"""


def test_nothing_that_one_run_leaves_is_there_for_the_next(warm: WarmServer, small_problems: Path) -> None:
    plant = PLANT.format(mark=f"plant_{secrets.token_hex(8)}.py")
    first, _ = judged(plant + LEAVE + MEAN, Mode.TEST, warm, small_problems)
    second, _ = judged(plant + FIND + MEAN, Mode.TEST, warm, small_problems)
    assert first.verdict is second.verdict is Verdict.PASSED, (first.message, second.message)
    assert int(first.output.split()[0]) >= 5
    assert "[] found" in second.output


ORPHAN = """
import ctypes, os, time
MARK = "{mark}"
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        ctypes.CDLL(None).prctl(15, MARK.encode(), 0, 0, 0)
        while True:
            pass
    os._exit(0)
time.sleep(0.2)
"""


def test_no_process_outlives_its_run(warm: WarmServer, small_problems: Path) -> None:
    mark = f"o{secrets.token_hex(6)}"
    source = ORPHAN.format(mark=mark)
    seen: list[bool] = []

    def watch(_: Event) -> None:
        seen.append(mark in _names())

    folder = small_problem("basics/vector_mean", small_problems)
    brief = Brief(Mode.TEST, str(folder), source + MEAN, "submission.py", secrets.token_hex(32), LIMITS, ())
    report = judge(brief, warm=warm, on_event=watch)
    assert report.verdict is Verdict.PASSED, report.message
    assert any(seen), "the orphan never lived: the test shows nothing"
    assert mark not in _names()


def _names() -> set[str]:
    names = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            names.add((folder / "comm").read_text().strip())
        except OSError:
            continue
    return names


LEAK = """
import torch
class Told(Exception):
    pass
def custom_kernel(x):
    print("n is", x.numel(), x[:4].tolist(), flush=True)
    if x.numel() == {n}:
        {act}
    return x.mean().reshape(1)
"""


@pytest.mark.parametrize(
    "act",
    [
        "raise Told(f'n is {x.numel()}: {x[:8].tolist()}')",
        "raise type(f'n_{x.numel()}', (Exception,), {})()",
        "raise ValueError(x.numel())",
        "return x",
        "return str(x.numel())",
        "raise SystemExit(x.numel() % 251)",
    ],
)
def test_a_ranked_run_tells_nothing_of_hidden_inputs(act: str, warm: WarmServer, small_problems: Path) -> None:
    report, events = judged(LEAK.format(n=HIDDEN, act=act), Mode.RANKED, warm, small_problems)
    assert report.verdict is not Verdict.PASSED
    told = repr((report, events))
    assert str(HIDDEN) not in told
    assert "n is" not in told


def test_every_call_has_a_key_of_its_own_with_all_its_bits() -> None:
    nonce = secrets.token_bytes(32)
    keys = [
        call_key(nonce, purpose, case, call)
        for purpose in ("input", "check")
        for case in range(40)
        for call in range(-3, 40)
    ]
    assert len(set(keys)) == len(keys)
    assert {len(key) for key in keys} == {32}
    # Bits are even over the keys: no part of a key is a counter or a short seed.
    for place in range(256):
        ones = sum(key[place // 8] >> place % 8 & 1 for key in keys)
        assert abs(ones / len(keys) - 0.5) < 0.06


def test_neighbouring_nonces_and_calls_share_nothing() -> None:
    nonce = bytearray(secrets.token_bytes(32))
    first = call_key(bytes(nonce), "input", 0, 0)
    nonce[31] ^= 1
    for other in (call_key(bytes(nonce), "input", 0, 0), call_key(bytes(nonce), "input", 0, 1)):
        differing = sum((a ^ b).bit_count() for a, b in zip(first, other, strict=True))
        assert 80 < differing < 176


ALONE = """
import ctypes, mmap, sys, time
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
assert libc.mmap(0x200000000000, 4096, 3, 0x100022, -1, 0) == 0x200000000000
ctypes.c_uint64.from_address(0x200000000000 + 32 * 8).value = 1
library = ctypes.CDLL(sys.argv[1])
armed = library.start() if sys.argv[2] == "armed" else 0
print("ready" if armed == 0 else "refused", flush=True)
time.sleep(30)
"""


@pytest.mark.parametrize(
    "case", ["timer", "timer_number", "timer_stealth", "itimer", "child_exit", "child_kill", "async_pipe", None]
)
def test_a_process_that_wakes_itself_outside_the_sandbox_is_seen(case: str | None, tmp_path: Path) -> None:
    """The filter is the first answer to cheat 79. This is the second: each carrier at work, against the clock alone."""
    library = tmp_path / "kernel.so"
    source = _native_source(f"g79_self_wake_{case or 'timer'}")
    flags = ["-O2", "-shared", "-fPIC", "-pthread", "-x", "c++", "-", "-o", str(library)]
    subprocess.run(["g++", *flags], input=source, text=True, check=True)
    with subprocess.Popen(
        [sys.executable, "-c", ALONE, str(library), "armed" if case else "honest"],
        stdout=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.read(5)
            assert said.startswith((b"ready", b"worki")), said
            time.sleep(0.2)
            assert _caught(process) is (case is not None)
        finally:
            # With the children that it made.
            os.killpg(process.pid, signal.SIGKILL)


def _caught(process: subprocess.Popen[bytes]) -> bool:
    """Whether a stop, and 60 ms of watching, show that the process woke itself."""
    assert process.stdout is not None
    clock = StopClock(process.pid, 1)
    try:
        clock.stop()
    except Unstoppable:
        return True
    cpu = clock.settle()
    os.set_blocking(process.stdout.fileno(), False)
    process.stdout.read(1 << 16)
    time.sleep(0.06)
    return clock.stirred(cpu)


def _native_source(case: str) -> str:
    tree = ast.parse((CASES / case / "kernel.py").read_text())
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "SOURCE":
            return str(ast.literal_eval(node.value))
    raise AssertionError(f"{case} holds no native source")
