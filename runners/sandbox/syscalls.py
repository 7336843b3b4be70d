"""The system calls that a contestant may make, by stage: an allow-list, as data.

What is absent is refused with EPERM, or ENOSYS where the C library then falls back to an older call. What no honest
program calls here, not even to see whether it can, ends its process (SIGSYS), which the judge sees. Absent on purpose,
because the kernel would go on working for a stopped process, or wake it, or let it out: timers that signal,
timerfd, epoll, inotify, fanotify, signalfd, aio, io_uring, splice, sockets, message queues, System V IPC, ptrace and
process_vm, pidfd, namespaces, mounts, fallocate, userfaultfd, perf, bpf, memfd, keys, scheduler classes, affinity and
priorities, file-cache advice, signals to others, and a limit of CPU time, which ends in a SIGKILL that looks as if it
came from outside.
"""

from __future__ import annotations

import fcntl
import resource
import signal
from dataclasses import dataclass

CLONE_VM = 0x100
CLONE_FS = 0x200
CLONE_FILES = 0x400
CLONE_SIGHAND = 0x800
CLONE_PTRACE = 0x2000
CLONE_VFORK = 0x4000
CLONE_PARENT = 0x8000
CLONE_THREAD = 0x10000
CLONE_UNTRACED = 0x800000
CLONE_NEW_ANY = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000

ALL_BITS = 0xFFFFFFFFFFFFFFFF


@dataclass(frozen=True)
class Argument:
    """A condition on one argument: ``argument & mask == value``.

    The mask is by default what the kernel looks at of an ``int``: the lower half. Pointers need ``ALL_BITS``.
    """

    index: int
    value: int
    mask: int = 0xFFFFFFFF


@dataclass(frozen=True)
class Rule:
    """A call that is allowed if all conditions hold; several rules for a call are alternatives."""

    name: str
    conditions: tuple[Argument, ...] = ()


def _plain(text: str) -> tuple[Rule, ...]:
    return tuple(Rule(name) for name in text.split())


def _any_of(name: str, index: int, values: tuple[int, ...]) -> tuple[Rule, ...]:
    return tuple(Rule(name, (Argument(index, value),)) for value in values)


MEMORY = _plain("brk mmap mprotect mremap munmap munlock munlockall msync mincore get_mempolicy")
_MADVICE = (0, 1, 2, 3, 4, 8, 10, 11, 13, 15, 16, 17, 18, 19, 22, 23, 24, 102, 103)
"""All of madvise but REMOVE, MERGEABLE, COLD, PAGEOUT, the hardware poison, and HUGEPAGE and COLLAPSE, which would
give a contestant larger pages on its desk than the anchor has on its own."""

FILES = _plain(
    """
    access chdir chmod chown close close_range creat dup dup2 dup3 faccessat faccessat2 fchdir fchmod fchmodat
    fchmodat2 fchown fchownat fdatasync fgetxattr flistxattr flock fstat fstatfs fsync ftruncate getcwd getdents
    getdents64 getxattr lchown lgetxattr link linkat listxattr llistxattr lseek lstat mkdir mkdirat newfstatat open
    openat pipe pipe2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readlink readlinkat readv rename renameat
    renameat2 rmdir stat statfs statx symlink symlinkat truncate umask unlink unlinkat utime utimensat utimes futimesat
    write writev eventfd eventfd2 poll ppoll pselect6 select
    """
)
_FCNTL = (
    fcntl.F_DUPFD, fcntl.F_DUPFD_CLOEXEC, fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL, fcntl.F_GETLK, fcntl.F_SETLK,
    fcntl.F_SETLKW, fcntl.F_OFD_GETLK, fcntl.F_OFD_SETLK, fcntl.F_OFD_SETLKW, 1032, 1034,
)  # fmt: skip
"""1032 and 1034 are F_GETPIPE_SZ and F_GET_SEALS."""
_O_ASYNC = 0o20000
_IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX."""

THREADS = _plain("futex futex_waitv get_robust_list set_robust_list rseq set_tid_address gettid getcpu")
PROCESS = _plain(
    """
    exit exit_group getpid getppid getpgid getpgrp getsid getuid geteuid getgid getegid getresuid getresgid getgroups
    capget getrlimit getrusage times uname sysinfo getrandom arch_prctl restart_syscall getpriority
    sched_yield sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_get_priority_max
    sched_get_priority_min sched_rr_get_interval
    """
)
TIME = _plain("clock_getres clock_gettime clock_nanosleep gettimeofday nanosleep time")
SIGNALS = _plain(
    "rt_sigaction rt_sigpending rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigtimedwait sigaltstack pause"
)
_PRCTL = (3, 15, 16, 21, 23, 27, 38, 39, 0x53564D41)
"""GET_DUMPABLE, SET_NAME, GET_NAME, GET_SECCOMP, CAPBSET_READ, GET_SECUREBITS, *_NO_NEW_PRIVS, SET_VMA (names)."""

_THREAD_FLAGS = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD
_NEVER_FLAGS = CLONE_PTRACE | CLONE_PARENT | CLONE_UNTRACED | CLONE_NEW_ANY
_SELF_SIGNALS = (
    signal.SIGINT, signal.SIGILL, signal.SIGTRAP, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGSEGV,
    signal.SIGTERM, 32, 33,
)  # fmt: skip
"""What abort(), raise() and thread cancellation send; never SIGSTOP or SIGCONT."""

_LIMITS = 16
_SETTABLE_LIMITS = tuple(set(range(_LIMITS)) - {resource.RLIMIT_CPU, resource.RLIMIT_RTTIME})

INIT_PID = 1
"""A cell's own process is pid 1 of its namespace."""

COMMON = (
    *MEMORY,
    *_any_of("madvise", 2, _MADVICE),
    *FILES,
    *_any_of("fcntl", 1, _FCNTL),
    Rule("fcntl", (Argument(1, fcntl.F_SETFL), Argument(2, 0, _O_ASYNC))),
    *_any_of("ioctl", 1, _IOCTL),
    *THREADS,
    *PROCESS,
    *TIME,
    *SIGNALS,
    *_any_of("prctl", 0, _PRCTL),
    *_any_of("personality", 0, (0xFFFFFFFF,)),
    Rule("prlimit64", (Argument(0, 0), Argument(2, 0, ALL_BITS))),
    Rule("prlimit64", (Argument(0, INIT_PID), Argument(2, 0, ALL_BITS))),
)

TIME_STAGE = (
    *COMMON,
    Rule("clone", (Argument(0, _THREAD_FLAGS, _THREAD_FLAGS | _NEVER_FLAGS | CLONE_VFORK),)),
    *(
        Rule("tgkill", (Argument(0, INIT_PID), Argument(2, number)))
        for number in _SELF_SIGNALS
    ),
    *(
        Rule("kill", (Argument(0, INIT_PID), Argument(1, number)))
        for number in _SELF_SIGNALS
    ),
)  # fmt: skip

BUILD_STAGE = (
    *COMMON,
    Rule("clone", (Argument(0, 0, _NEVER_FLAGS),)),
    *_plain(
        """
        fork vfork execve wait4 waitid kill tkill tgkill setpgid setsid sendfile copy_file_range
        """
    ),
    *_any_of("setrlimit", 0, _SETTABLE_LIMITS),
    *(Rule("prlimit64", (Argument(0, 0), Argument(1, kind))) for kind in _SETTABLE_LIMITS),
)

STAGES = {"build": BUILD_STAGE, "time": TIME_STAGE}

FALL_BACK = ("clone3", "openat2", "sendfile", "copy_file_range", "io_uring_setup", "membarrier", "map_shadow_stack")
"""Answered with ENOSYS where a stage does not allow them."""

FORBIDDEN = tuple(
    rule.name
    for rule in _plain(
        """
        ptrace process_vm_readv process_vm_writev pidfd_getfd open_by_handle_at userfaultfd perf_event_open bpf
        add_key request_key keyctl setns unshare chroot pivot_root mount umount2 mount_setattr move_mount open_tree
        fsopen fsconfig fsmount fspick swapon swapoff acct quotactl reboot kexec_load kexec_file_load init_module
        finit_module delete_module iopl ioperm settimeofday clock_settime sethostname setdomainname
        """
    )
)
"""End the process that calls them, in either stage. Calls that libraries make to see what the host can do (io_uring,
landlock, pidfd_open, affinity, priorities) are not among them: those are refused and no more."""
