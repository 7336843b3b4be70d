"""Attempts to get out of a cell, or to have the kernel work for a stopped process. Each raises OSError if refused, or
ends its process where no honest program makes it.

Every one that is harmless is also made outside (`control`), where it must succeed: an attempt that would fail anywhere
proves nothing.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import mmap
import os
import resource
import signal
import socket
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyseccomp

from runners.sandbox.syscalls import FORBIDDEN

PROJECT = Path(__file__).resolve().parents[3]
BOTH = ("build", "time")
_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def raw(name: str, *arguments: Any) -> int:
    """A system call by name, past the C library. Raises OSError."""
    return raw_number(int(pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)), *arguments)


def raw_number(number: int, *arguments: Any) -> int:
    passed = [
        ctypes.c_long(value if value < 1 << 63 else value - (1 << 64)) if isinstance(value, int) else value
        for value in arguments
    ]
    result = int(_libc.syscall(ctypes.c_long(number), *passed))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


@dataclass(frozen=True)
class Attempt:
    name: str
    act: Callable[[], Any]
    stages: tuple[str, ...] = BOTH
    control: bool = True
    """It must succeed outside, as root, on this kind of kernel."""
    refusals: tuple[int, ...] = (errno.EPERM, errno.ENOSYS)
    fatal: bool = False
    """It ends the process that makes it, so that it needs a cell of its own."""


ATTEMPTS: dict[str, Attempt] = {}


def attempt(
    name: str,
    act: Callable[[], Any],
    stages: tuple[str, ...] = BOTH,
    control: bool = True,
    refusals: tuple[int, ...] = (errno.EPERM, errno.ENOSYS),
    fatal: bool = False,
) -> None:
    ATTEMPTS[name] = Attempt(name, act, stages, control, refusals, fatal)


def call(name: str, *arguments: Any, stages: tuple[str, ...] = BOTH, control: bool = True, label: str = "") -> None:
    attempt(label or name, lambda: raw(name, *arguments), stages, control, fatal=name in FORBIDDEN)


def _close(fd: int) -> int:
    os.close(fd)
    return fd


# --- talking to others -------------------------------------------------------------------------------------------
for family, kind in (("AF_INET", 1), ("AF_INET", 2), ("AF_INET6", 1), ("AF_UNIX", 1), ("AF_NETLINK", 3)):
    attempt(f"socket-{family}-{kind}", lambda f=family, k=kind: socket.socket(getattr(socket, f), k).close())
attempt("socketpair", lambda: [end.close() for end in socket.socketpair()])
call("mq_open", b"x", os.O_CREAT | os.O_RDWR, 0o600, None, control=False)
for name in ("msgget", "semget", "shmget"):
    call(name, 0, 1, 0o600, control=False)
call("keyctl", 0, -3, 0, control=True)
call("add_key", b"user", b"x", b"y", 1, -2, control=False)
call("request_key", b"user", b"x", 0, -2, control=False)

# --- other processes' memory and signals -------------------------------------------------------------------------
call("ptrace", 0, 0, 0, 0, control=False, label="ptrace-traceme")
call("ptrace", 16, 1, 0, 0, control=False, label="ptrace-attach")


def _iovec() -> Any:
    class Vector(ctypes.Structure):
        _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))

    buffer = ctypes.create_string_buffer(8)
    vector = Vector(ctypes.addressof(buffer), 8)
    return buffer, ctypes.byref(vector)


def _process_vm(name: str) -> int:
    _buffer, vector = _iovec()
    _other, remote = _iovec()
    return raw(name, os.getpid(), vector, 1, remote, 1, 0)


attempt("process_vm_readv", lambda: _process_vm("process_vm_readv"), fatal=True)
attempt("process_vm_writev", lambda: _process_vm("process_vm_writev"), fatal=True)
attempt("pidfd_open", lambda: _close(raw("pidfd_open", os.getpid(), 0)))
call("pidfd_getfd", -1, 0, 0, control=False)
call("kcmp", 1, 1, 0, 0, 0, control=False)
call("kill", 1, signal.SIGCONT, stages=("time",), label="kill-self-continue")
call("kill", 1, signal.SIGSTOP, stages=("time",), control=False, label="kill-self-stop")
call("kill", 0, 0, stages=("time",), label="kill-own-group")
call("kill", -1, 0, stages=("time",), label="kill-everyone")
attempt("tgkill-continue", lambda: raw("tgkill", os.getpid(), raw("gettid"), signal.SIGCONT), ("time",))
attempt("tkill-continue", lambda: raw("tkill", raw("gettid"), signal.SIGCONT), ("time",))
attempt(
    "rt_sigqueueinfo", lambda: raw("rt_sigqueueinfo", os.getpid(), 0, ctypes.create_string_buffer(128)), control=False
)

# --- namespaces and mounts ---------------------------------------------------------------------------------------
for label, flag in (
    ("user", 0x10000000), ("mount", 0x20000), ("pid", 0x20000000), ("net", 0x40000000), ("files", 0x400), ("fs", 0x200),
):  # fmt: skip
    call("unshare", flag, label=f"unshare-{label}")


def _setns() -> int:
    fd = os.open("/proc/self/ns/net", os.O_RDONLY)
    return raw("setns", fd, 0)


attempt("setns", _setns, fatal=True)
call("mount", b"none", b"/tmp", b"tmpfs", 0, None, control=False)
call("umount2", b"/tmp", 2, control=False)
call("pivot_root", b"/tmp", b"/tmp", control=False)
call("chroot", b"/", control=True)
call("fsopen", b"tmpfs", 0, control=False)
call("open_tree", -100, b"/", 1, control=False)
call("mount_setattr", -100, b"/", 0, None, 0, control=False)
call("sethostname", b"x", 1, control=False)
call("setdomainname", b"x", 1, control=False)
call("move_mount", -100, b"/tmp", -100, b"/dev/shm", 0, control=False)
call("fsmount", -1, 0, 0, control=False)
call("fsconfig", -1, 6, None, None, 0, control=False)
call("fspick", -100, b"/", 0, control=False)
call("setuid", 0, control=True)
attempt("mknod", lambda: os.mknod("/tmp/null", 0o20666, os.makedev(1, 3)), control=False)

# --- the kernel working for a stopped process --------------------------------------------------------------------
attempt("timerfd", lambda: _close(raw("timerfd_create", 1, 0)))
attempt("timer_create", lambda: raw("timer_create", 1, None, ctypes.byref(ctypes.c_int())))
attempt("setitimer", lambda: signal.setitimer(signal.ITIMER_REAL, 0))
call("alarm", 0)
attempt("epoll", lambda: _close(raw("epoll_create1", 0)))
attempt("inotify", lambda: _close(raw("inotify_init1", 0)))
call("fanotify_init", 0, 0, control=False)
attempt("signalfd", lambda: _close(raw("signalfd4", -1, ctypes.create_string_buffer(8), 8, 0)))
attempt("aio", lambda: raw("io_setup", 1, ctypes.byref(ctypes.c_ulong())))
attempt("io_uring", lambda: raw("io_uring_setup", 1, ctypes.create_string_buffer(120)), control=False)
attempt("userfaultfd", lambda: _close(raw("userfaultfd", 0)), fatal=True)
attempt(
    "perf", lambda: raw("perf_event_open", ctypes.create_string_buffer(128), 0, -1, -1, 0), control=False, fatal=True
)
call("bpf", 5, ctypes.create_string_buffer(128), 128, control=False)
attempt("memfd", lambda: _close(raw("memfd_create", b"x", 0)))
call("memfd_secret", 0, control=False)
call("membarrier", 0, 0, 0)
call("sync")


def _pipe_call(name: str) -> int:
    read, write = os.pipe()
    _, vector = _iovec()
    arguments = {
        "splice": (read, None, write, None, 1, 2),
        "tee": (read, write, 1, 2),
        "vmsplice": (write, vector, 1, 0),
    }[name]
    try:
        return raw(name, *arguments)
    finally:
        os.close(read)
        os.close(write)


attempt("splice", lambda: _pipe_call("splice"), control=False)
attempt("tee", lambda: _pipe_call("tee"), control=False)
attempt("vmsplice", lambda: _pipe_call("vmsplice"))


def _on_pipe(command: int, argument: int, bits: int = 0) -> int:
    read, write = os.pipe()
    try:
        return raw("fcntl", read, command | bits, argument)
    finally:
        os.close(read)
        os.close(write)


attempt("F_SETSIG", lambda: _on_pipe(fcntl.F_SETSIG, signal.SIGCONT))
attempt("F_SETSIG-high-bits", lambda: _on_pipe(fcntl.F_SETSIG, signal.SIGCONT, 1 << 32))
attempt("F_SETOWN", lambda: _on_pipe(fcntl.F_SETOWN, os.getpid()))
attempt("F_SETOWN_EX", lambda: _on_pipe(15, 0), control=False)
attempt("O_ASYNC", lambda: _on_pipe(fcntl.F_SETFL, 0o20000))
attempt("O_ASYNC-high-bits", lambda: _on_pipe(fcntl.F_SETFL, 0o20000 | 1 << 40))


def _ioctl_async() -> int:
    read, _ = os.pipe()
    return raw("ioctl", read, 0x5452, ctypes.byref(ctypes.c_int(1)))


attempt("FIOASYNC", _ioctl_async)


def _on_file(command: int, argument: int) -> None:
    with tempfile.NamedTemporaryFile() as file:
        fcntl.fcntl(os.open(file.name, os.O_RDONLY), command, argument)


attempt("F_SETLEASE", lambda: _on_file(fcntl.F_SETLEASE, fcntl.F_WRLCK), control=False)
attempt("F_NOTIFY", lambda: fcntl.fcntl(os.open("/tmp", os.O_RDONLY), fcntl.F_NOTIFY, 1))


def _fallocate() -> None:
    with tempfile.TemporaryFile() as file:
        raw("fallocate", file.fileno(), 0, 0, 4096)


attempt("fallocate", _fallocate)


def _fadvise() -> None:
    with open("/usr/bin/env", "rb") as file:
        raw("fadvise64", file.fileno(), 0, 0, 4)


attempt("fadvise", _fadvise)


def _advise(advice: int) -> int:
    with mmap.mmap(-1, 4096) as area:
        address = ctypes.addressof(ctypes.c_char.from_buffer(area))
        return int(raw("madvise", address, 4096, advice))


for label, advice in (("REMOVE", 9), ("COLD", 20), ("PAGEOUT", 21)):
    attempt(f"MADV_{label}", lambda a=advice: _try_advise(a))


def _try_advise(advice: int) -> int:
    try:
        return _advise(advice)
    except BufferError:
        return 0


# --- who runs when and where -------------------------------------------------------------------------------------
attempt("sched_setaffinity", lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)))
attempt("sched_setscheduler", lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)))
attempt("sched_setattr", lambda: raw("sched_setattr", 0, ctypes.create_string_buffer(48), 0), control=False)
attempt("setpriority", lambda: os.setpriority(os.PRIO_PROCESS, 0, 5))
call("ioprio_set", 1, 0, 0, control=False)
attempt("personality", lambda: raw("personality", 0x0040000))
call("prctl", 1, signal.SIGCONT, 0, 0, 0, label="prctl-pdeathsig")
call("prctl", 22, 1, 0, 0, 0, control=False, label="prctl-seccomp")
call("seccomp", 1, 0, None, control=False)
for label, option, value in (
    ("dumpable", 4, 1), ("keepcaps", 8, 0), ("tsc", 26, 1), ("timing", 14, 0), ("timer-slack", 29, 50_000),
    ("machine-check", 33, 0), ("subreaper", 36, 0), ("huge-pages", 41, 0),
):  # fmt: skip
    call("prctl", option, value, 0, 0, 0, label=f"prctl-{label}")
for label, option in (("memory-map", 35), ("speculation", 53), ("io-flusher", 57), ("ptracer", 0x59616D61)):
    call("prctl", option, 0, 0, 0, 0, control=False, label=f"prctl-{label}")


def _limit(kind: int, *, raised: bool = False) -> None:
    """Set a limit to what it is, or to more than may be."""
    soft, hard = resource.getrlimit(kind)
    values = (1 << 21, 1 << 21) if raised else (soft % (1 << 64), hard % (1 << 64))
    raw("prlimit64", 0, kind, (ctypes.c_uint64 * 2)(*values), None)


attempt("limit-CPU-time", lambda: _limit(resource.RLIMIT_CPU))
attempt("limit-real-time", lambda: _limit(resource.RLIMIT_RTTIME))
attempt("limit-files", lambda: _limit(resource.RLIMIT_NOFILE), ("time",))
attempt("limit-files-raised", lambda: _limit(resource.RLIMIT_NOFILE, raised=True), control=False)
attempt("limit-locked-memory-raised", lambda: _limit(resource.RLIMIT_MEMLOCK, raised=True), control=False)

# --- processes in the timed stage --------------------------------------------------------------------------------


def _fork(number: str, *arguments: int) -> int:
    pid = raw(number, *arguments)
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return pid


attempt("fork", lambda: _fork("fork"), ("time",))
attempt("os.fork", lambda: _fork("clone", 0x01200011, 0, 0, 0, 0), ("time",))
call("vfork", stages=("time",), control=False)
call("execve", b"/bin/true", None, None, stages=("time",), control=False)
call("execveat", -100, b"/bin/true", None, None, 0, control=False)
attempt("setsid", os.setsid, ("time",), control=False)
attempt("setpgid", lambda: os.setpgid(0, 0), ("time",), control=False)
THREAD = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000
for label, flags, stages in (
    ("new-user", 0x10000000 | 17, BOTH),
    ("new-pid", 0x20000000 | 17, BOTH),
    ("parent", 0x8000 | 17, BOTH),
    ("untraced", 0x800000 | 17, BOTH),
    ("ptrace", 0x2000 | 17, BOTH),
    ("vfork", 0x4000 | 17, ("time",)),
    ("thread-own-files", THREAD & ~0x400, ("time",)),
    ("thread-own-fs", THREAD & ~0x200, ("time",)),
    ("thread-vfork", THREAD | 0x4000, ("time",)),
):
    call("clone", flags, 0, 0, 0, 0, stages=stages, control=False, label=f"clone-{label}")
call("clone3", ctypes.create_string_buffer(88), 88, control=False)

# --- the machine -------------------------------------------------------------------------------------------------
for name in ("reboot", "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module"):
    call(name, 0, 0, 0, 0, control=False)
for name in ("swapon", "swapoff", "acct"):
    call(name, 0, 0, 0, 0, control=False)
for name in ("quotactl", "settimeofday", "clock_settime", "adjtimex", "syslog", "iopl", "ioperm", "modify_ldt"):
    call(name, 0, 0, 0, control=False)
for name in ("mlock", "mlockall", "mbind", "set_mempolicy", "move_pages", "process_madvise", "remap_file_pages"):
    call(name, 0, 0, 0, 0, 0, control=False)
call("name_to_handle_at", -100, b"/", None, None, 0, control=False)
call("open_by_handle_at", 0, None, 0, control=False)
call("landlock_create_ruleset", None, 0, 1, control=False)

# --- files -------------------------------------------------------------------------------------------------------
HIDDEN = (errno.ENOENT, errno.EACCES, errno.EPERM, errno.ENOTDIR)
READ_ONLY = (errno.EROFS, errno.EACCES, errno.ENOENT, errno.EPERM)


def read(path: str) -> None:
    attempt(f"read {path}", lambda: Path(path).read_bytes()[:1], refusals=HIDDEN, control=False)


def write(path: str, stages: tuple[str, ...] = BOTH) -> None:
    attempt(f"write {path}", lambda: Path(path).write_text("x"), stages, control=False, refusals=READ_ONLY)


for path in (
    "/etc/shadow", "/proc/1/root/etc/shadow", "/dev/mem", "/dev/kmsg", "/dev/vda", "/sys/kernel/notes",
    f"{PROJECT}/pyproject.toml", f"{PROJECT}/runners/protocol.py", "/root/.bashrc", "/run/kernelcup-0",
):  # fmt: skip
    read(path)
for path in (
    "/x", "/usr/x", "/usr/lib/x", "/etc/passwd", "/etc/x", "/dev/x", f"{Path(os.__file__).parent}/x.py",
    f"{Path(pyseccomp.__file__).parent}/x.pth", "/proc/sys/kernel/hostname", "/proc/sysrq-trigger",
    "/proc/self/oom_score_adj", "/proc/self/timerslack_ns", "/proc/self/autogroup", "/proc/self/clear_refs",
    "/proc/self/mem", "/proc/self/comm", "/proc/self/coredump_filter", "/proc/self/attr/current", "/proc/self/cgroup",
    "/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches",
    "/proc/self/uid_map", "/sys/devices/system/cpu/cpu1/online",
):  # fmt: skip
    write(path)
attempt("chmod /usr/bin/env", lambda: os.chmod("/usr/bin/env", 0o777), control=False, refusals=READ_ONLY)


def run_all(stage: str) -> None:
    """Make every attempt of a stage that leaves its process alive, one after the other."""
    for entry in ATTEMPTS.values():
        if stage in entry.stages and not entry.fatal:
            make(entry.name)


def make(name: str) -> None:
    """Make one attempt, saying on descriptor 3 how it ended; one that ends its process says nothing."""
    os.write(3, json.dumps(try_one(ATTEMPTS[name])).encode() + b"\n")


def try_one(entry: Attempt) -> dict[str, Any]:
    try:
        value = entry.act()
    except OSError as error:
        return {"name": entry.name, "errno": error.errno, "text": str(error)}
    return {"name": entry.name, "errno": None, "text": repr(value)}
