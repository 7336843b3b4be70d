"""Scenes with one or more cells, played in the judge: each returns what the test then looks at."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

from runners.sandbox import cgroups
from runners.sandbox.cell import Cell, CellPlan, Housing
from runners.sandbox.cores import plan_cores
from tests.runners.sandbox.attempts import ATTEMPTS, make
from tests.runners.sandbox.honest import compile_and_load, load_built
from tests.runners.sandbox.host import listen, plan_for, run, speaking, wait_end

Answer = dict[str, Any]


def groups_left() -> list[str]:
    found = cgroups.hierarchies()
    if found is None:
        return []
    mine = cgroups.PREFIX + cgroups.owner()
    return [str(path) for folder in found.folders() for path in folder.glob(f"{mine}-*")]


def _until(fact: Any, seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while not fact():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def _eat(mebibytes: int) -> None:
    hoard = [bytearray(os.urandom(1 << 20)) for _ in range(mebibytes)]
    time.sleep(60 + len(hoard))


def memory_limit(housing: Housing, request: Answer) -> Answer:
    """Twice: with the limit of the plan, and with one set later."""
    ends = []
    for planned, later in ((300 << 20, None), (3 << 30, 300 << 20)):
        cell = housing.spawn(plan_for("time", memory_bytes=planned), lambda: _eat(1000))
        if later is not None:
            cell.set_limits(later, 64)
        status = wait_end(cell, 40)
        ends.append([status, cell.oom_killed(), cell.memory_peak()])
        cell.close()
    return {"ends": ends, "left": groups_left()}


def _hoard_shared_memory() -> None:
    Path("/tmp/big").write_bytes(b"x" * (100 << 20))


def scratch_limit(housing: Housing, request: Answer) -> Answer:
    read, write = os.pipe()
    plan = plan_for("time", scratch_bytes=10 << 20, keep_fds=(write,))
    with_limit = housing.spawn(plan, speaking(_hoard_shared_memory))
    os.close(write)
    said = listen(read, 20)
    os.close(read)
    with_limit.close()
    return {"said": said}


def _bomb() -> Answer:
    count = 0
    while True:
        try:
            if os.fork() == 0:
                time.sleep(60)
                os._exit(0)
        except BlockingIOError as error:
            return {"children": count, "errno": error.errno}
        count += 1
        if count > 1000:
            return {"children": count, "errno": 0}


def fork_bomb(housing: Housing, request: Answer) -> Answer:
    read, write = os.pipe()
    cell = housing.spawn(plan_for("build", processes=20, keep_fds=(write,)), speaking(_bomb))
    os.close(write)
    told = _line(read)
    cell.kill()
    status = cell.exit_status()
    cell.close()
    os.close(read)
    return {"told": told, "status": status, "left": groups_left()}


def _line(fd: int) -> str:
    data = b""
    while not data.endswith(b"\n"):
        chunk = os.read(fd, 1 << 12)
        if not chunk:
            break
        data += chunk
    return data.decode()


def _tree() -> None:
    for _ in range(5):
        if os.fork() == 0:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            if os.fork() == 0:
                os.setsid()
            while True:
                pass
    os.write(3, b"planted\n")
    time.sleep(60)


def kill_tree(housing: Housing, request: Answer) -> Answer:
    read, write = os.pipe()
    cell = housing.spawn(plan_for("build", keep_fds=(write,)), _tree)
    os.close(write)
    _line(read)
    planted = _until(lambda: cell.processes() == 11)
    found = cgroups.hierarchies()
    pids = []
    if found is not None:
        group = next(found.memory.glob(f"{cgroups.PREFIX}{cgroups.owner()}-*"))
        pids = [int(text) for text in (group / "cgroup.procs").read_text().split()]
    cell.kill()
    left = cell.processes()
    alive = [pid for pid in pids if pid != cell.pid and Path(f"/proc/{pid}").exists()]
    status = cell.exit_status()
    cell.close()
    os.close(read)
    return {"planted": planted, "left": left, "alive": alive, "status": status, "groups": groups_left()}


def _crash(how: str) -> None:
    if how == "segv":
        ctypes.string_at(1)
    elif how == "abort":
        os.abort()
    elif how == "exit":
        os._exit(7)
    elif how == "sys.exit":
        raise SystemExit(3)
    elif how == "raise":
        raise ValueError("mine")


def ends(housing: Housing, request: Answer) -> Answer:
    """How the end of a cell shows."""
    found: Answer = {}
    for how in ("segv", "abort", "exit", "sys.exit", "raise", "return"):
        cell = housing.spawn(plan_for("time"), lambda how=how: _crash(how))
        first = wait_end(cell)
        found[how] = [first, cell.exit_status(), cell.alive()]
        cell.close()
    return found


def _fds() -> list[Any]:
    texts = [os.read(fd, 100).decode() for fd in (3, 4)]
    print("to stdout", flush=True)
    os.write(2, b"to stderr\n")
    return [texts, os.listdir("/proc/self/fd"), os.readlink("/proc/self/fd/0"), os.read(0, 10).decode()]


def descriptors(housing: Housing, request: Answer) -> Answer:
    """Kept descriptors keep their order; all else is closed; output goes where the plan says."""
    pipes = [os.pipe() for _ in range(2)]
    for number, (_, write) in enumerate(pipes):
        os.write(write, f"pipe {number}".encode())
    out_read, out_write = os.pipe()
    said_read, said_write = os.pipe()
    keep = (pipes[0][0], pipes[1][0], said_write)

    def entry() -> None:
        os.write(5, repr(_fds()).encode())

    cell = housing.spawn(plan_for("time", output=out_write, keep_fds=keep), entry)
    os.close(out_write)
    os.close(said_write)
    status = wait_end(cell)
    said, printed = os.read(said_read, 4096).decode(), os.read(out_read, 4096).decode()
    cell.close()
    for fd in (*(end for pipe in pipes for end in pipe), out_read, said_read):
        os.close(fd)
    return {"status": status, "said": said, "printed": printed}


def build_then_time(housing: Housing, request: Answer) -> Answer:
    """What the build stage compiled can be loaded in the timed stage, and not be seen by the anchor."""
    answers: Answer = {}
    for name, stage, function in (
        ("build", "build", compile_and_load),
        ("contestant", "time", load_built),
        ("anchor", "time", lambda: os.listdir("/build")),
    ):
        read, write = os.pipe()
        cell = housing.spawn(plan_for(stage, name=name, keep_fds=(write,)), speaking(function))
        os.close(write)
        answers[name] = listen(read, 40)
        os.close(read)
        cell.close()
    return answers


def _who() -> Answer:
    status = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {
        "ids": [*os.getresuid(), *os.getresgid(), *os.getgroups()],
        "pid": os.getpid(),
        "status": {
            key: status[key].strip() for key in ("CapEff", "CapPrm", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp")
        },
        "processes": [name for name in os.listdir("/proc") if name.isdecimal()],
        "interfaces": [line.split(":")[0].strip() for line in Path("/proc/net/dev").read_text().splitlines()[2:]],
        "host": os.uname().nodename,
        "environ": Path("/proc/self/environ").read_text(),
        "variables": dict(os.environ),
        "cores": sorted(os.sched_getaffinity(0)),
        "namespaces": {
            kind: os.readlink(f"/proc/self/ns/{kind}") for kind in ("pid", "mnt", "net", "ipc", "uts", "cgroup")
        },
        "root": sorted(os.listdir("/")),
        "groups": Path("/proc/self/cgroup").read_text(),
        "build": os.access("/build", os.W_OK),
        "shared": os.listdir("/dev/shm"),
        "temporary": os.listdir("/tmp"),
    }


def identity(housing: Housing, request: Answer) -> Answer:
    """Who and where the cells are, beside the judge."""
    names = ("contestant", "anchor")
    pipes = [os.pipe() for _ in names]
    plans = [
        (plan_for("time", name=name, keep_fds=(pipe[1],)), speaking(_who))
        for name, pipe in zip(names, pipes, strict=True)
    ]
    cells = housing.spawn_together(plans)
    for _, write in pipes:
        os.close(write)
    said = {name: listen(pipe[0], 20)[0] for name, pipe in zip(names, pipes, strict=True)}
    for cell in cells:
        cell.close()
    ours = {kind: os.readlink(f"/proc/self/ns/{kind}") for kind in ("pid", "mnt", "net", "ipc", "uts", "cgroup")}
    return {"pid": os.getpid(), "namespaces": ours, "cells": said, "contestant_cores": plan_cores().contestant}


def impossible_plan(housing: Housing, request: Answer) -> Answer:
    """A plan that the host cannot carry out is our fault, and leaves nothing behind."""
    try:
        housing.spawn(plan_for("time", cores=(4000,)), lambda: None)
    except Exception as error:
        return {"error": type(error).__name__, "text": str(error), "left": groups_left()}
    return {"error": None}


def stopping(housing: Housing, request: Answer) -> Answer:
    """The judge is the cell's parent: it can stop it, knows that it is stopped, and reads its CPU clock."""
    cell = housing.spawn(plan_for("time"), lambda: _spin())
    time.sleep(0.05)
    os.kill(cell.pid, signal.SIGSTOP)
    event = None
    deadline = time.monotonic() + 5
    while event is None and time.monotonic() < deadline:
        event = os.waitid(os.P_PID, cell.pid, os.WSTOPPED | os.WNOHANG)
    time.sleep(0.01)
    clock = (~cell.pid << 3) | 2
    first = time.clock_gettime_ns(clock)
    time.sleep(0.05)
    second = time.clock_gettime_ns(clock)
    alive = cell.alive()
    cell.close()
    return {"code": event and event.si_code, "ran": first > 0, "moved": second - first, "alive": alive}


def _spin() -> None:
    while True:
        pass


def interrupt_80() -> int:
    """The 32-bit door: `int 0x80` from 64-bit code, getpid."""
    import mmap

    area = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    area.write(bytes.fromhex("b814000000cd80c3"))
    address = ctypes.addressof(ctypes.c_char.from_buffer(area))
    return int(ctypes.CFUNCTYPE(ctypes.c_int)(address)())


def x32_call() -> int:
    from tests.runners.sandbox.attempts import raw_number

    return raw_number(0x40000000 + 39)


def leave_spinning(housing: Housing, request: Answer) -> Answer:
    """Cells that go on for ever; the test kills what is above them."""
    plans: list[tuple[CellPlan, Any]] = [(plan_for("build"), _tree_and_spin), (plan_for("time"), _spin)]
    cells: list[Cell] = housing.spawn_together(plans)
    _until(lambda: cells[0].processes() == 3)
    return {"judge": os.getpid(), "cells": [cell.pid for cell in cells], "groups": groups_left()}


def _tree_and_spin() -> None:
    for _ in range(2):
        if os.fork() == 0:
            os.setsid()
            _spin()
    _spin()


def stale_group(housing: Housing, request: Answer) -> Answer:
    """A group that a dead judge left, with a process in it, is emptied and removed by the next judge."""
    found = cgroups.hierarchies()
    if found is None:
        return {"skipped": True}
    dead = subprocess.Popen(["true"])
    dead.wait()
    sleeper = subprocess.Popen(["sleep", "100"])
    group = found.memory / f"{cgroups.PREFIX}{dead.pid}.1-orphan"
    group.mkdir()
    (group / "cgroup.procs").write_text(str(sleeper.pid))
    cgroups.sweep()
    gone = _until(lambda: sleeper.poll() is not None, 5)
    if not gone:
        sleeper.kill()
    cgroups.sweep()
    return {"gone": gone, "left": group.exists(), "status": sleeper.wait()}


def listing(folder: str) -> list[str]:
    return sorted(os.listdir(folder))


def version_2_group(housing: Housing, request: Answer) -> Answer:
    """What a group of version 2 can do without controllers: census, kill, removal."""
    sleepers = [subprocess.Popen(["sleep", "100"]) for _ in range(2)]
    group = cgroups.CellGroup(cgroups.Hierarchies(2, Path(request["folder"]), None), "second")
    for sleeper in sleepers:
        group.attach(sleeper.pid)
    seen = sorted(group.processes()) == sorted(sleeper.pid for sleeper in sleepers)
    threading.Thread(target=lambda: [sleeper.wait() for sleeper in sleepers]).start()
    emptied = group.kill()
    group.close()
    left = list(Path(request["folder"]).glob("*-second"))
    statuses = [sleeper.wait() for sleeper in sleepers]
    return {"seen": seen, "emptied": emptied, "left": [str(path) for path in left], "statuses": statuses}


def fatal_attempts(housing: Housing, request: Answer) -> Answer:
    """Each attempt that must end its process, in a cell of its own: how the cell ended, and what it said if it did
    not."""
    ended: Answer = {}
    for name, entry in ATTEMPTS.items():
        if entry.fatal and request["stage"] in entry.stages:
            result = run(housing, lambda name=name: make(name), plan_for(request["stage"]))
            ended[name] = [result["status"], result["lines"]]
    return ended


def _signal_own_group() -> None:
    for number in (signal.SIGKILL, signal.SIGSTOP):
        os.kill(0, number)


def group_signals(housing: Housing, request: Answer) -> Answer:
    """The build cell signals its whole process group; the other cells, and this judge, are not in it."""
    others = [housing.spawn(plan_for("time", name=name), _spin) for name in ("contestant", "anchor")]
    cell = housing.spawn(plan_for("build"), _signal_own_group)
    status = wait_end(cell)
    time.sleep(0.05)
    states = [Path(f"/proc/{other.pid}/stat").read_text().rpartition(")")[2].split()[0] for other in others]
    for each in (cell, *others):
        each.close()
    return {"status": status, "states": states}
