"""What a cell's process gives up, for good, before it runs anything: descriptors, environment, limits, powers."""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import signal
import sys
from dataclasses import dataclass

from runners.sandbox import libc, seccomp

FIRST_KEPT = 3
_PARKED = 512
_MOST_DESCRIPTORS = 1 << 20
_OPEN_FILES = 256
_STACK_BYTES = 8 << 20
_PASSED_ON = ("TRITON_INTERPRET", "CUDA_HOME", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH")


@dataclass(frozen=True)
class Powers:
    """Which powers are left: who the process is, where it runs, what its file sizes and processes may be."""

    uid: int | None
    """None: stay who we are (root of a user namespace without capabilities)."""
    cores: tuple[int, ...]
    tasks: int
    file_bytes: int
    system_calls: bytes | None


def arrange_descriptors(output: int | None, kept: tuple[int, ...]) -> None:
    """Leave /dev/null, `output` twice (or /dev/null), and `kept`, numbered from 3; all others are closed.

    The kept ones are closed when another program is executed.
    """
    parked = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _PARKED) for fd in kept]
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null if output is None else output, 1)
    os.dup2(1, 2)
    for number, fd in enumerate(parked, FIRST_KEPT):
        os.dup2(fd, number, inheritable=False)
    os.closerange(FIRST_KEPT + len(parked), _MOST_DESCRIPTORS)


def reset_signals() -> None:
    """Python's defaults, nothing blocked, nothing of the judge's handlers left."""
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals():
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, set())


def set_environment(cores: int) -> None:
    """Replace the whole environment."""
    passed = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    folders = dict.fromkeys(
        (f"{sys.prefix}/bin", f"{sys.base_prefix}/bin", "/usr/local/cuda/bin", "/usr/local/bin", "/usr/bin", "/bin")
    )
    threads = str(cores)
    os.environ.clear()
    os.environ.update(
        passed,
        PATH=":".join(folders),
        HOME="/build/home",
        USER="contestant",
        LOGNAME="contestant",
        LANG="C.UTF-8",
        TMPDIR="/tmp",  # noqa: S108 (the cell's own)
        KERNELCUP_BUILD_DIR="/build",
        TORCH_EXTENSIONS_DIR="/build/torch_extensions",
        TORCHINDUCTOR_CACHE_DIR="/build/inductor",
        # The timing stage can start neither a pool of compilers nor the one that makes precompiled headers anew.
        TORCHINDUCTOR_COMPILE_THREADS="1",
        TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS="0",
        TRITON_CACHE_DIR="/build/triton",
        NUMBA_CACHE_DIR="/build/numba",
        XDG_CACHE_HOME="/build/cache",
        PYTHONDONTWRITEBYTECODE="1",
        OMP_NUM_THREADS=threads,
        OPENBLAS_NUM_THREADS=threads,
        MKL_NUM_THREADS=threads,
        MAX_JOBS=threads,
    )


def set_limits(powers: Powers) -> None:
    """Resource limits, never above the inherited ones; memory is the control group's business."""
    for kind, most in (
        # One byte, not none: with none the kernel still starts a core-dump handler where the host has one.
        (resource.RLIMIT_CORE, 1),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
        (resource.RLIMIT_FSIZE, powers.file_bytes),
        (resource.RLIMIT_NPROC, powers.tasks),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_NICE, 0),
        (resource.RLIMIT_RTPRIO, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (bound, bound))
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    stack = _STACK_BYTES if hard == resource.RLIM_INFINITY else min(_STACK_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_STACK, (stack, hard))


def give_up_powers(powers: Powers) -> None:
    """The last step: session, cores, capabilities, user, no_new_privs, parent-death signal, system-call filter."""
    # A signal to the own process group leaves every namespace: it would end the run's other cells.
    os.setsid()
    os.sched_setaffinity(0, powers.cores)
    libc.drop_bounding_set()
    if powers.uid is not None:
        os.setgroups([])
        os.setresgid(powers.uid, powers.uid, powers.uid)
        os.setresuid(powers.uid, powers.uid, powers.uid)
    libc.drop_capabilities()
    libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
    # After a change of user the process counts as not dumpable, and /proc/self would belong to root.
    libc.prctl(libc.PR_SET_DUMPABLE, 1)
    libc.die_with_parent()
    if powers.system_calls is not None:
        seccomp.load(powers.system_calls)
