"""The Linux calls that Python 3.11 has no function for, through the C library."""

from __future__ import annotations

import ctypes
import errno
import os
import platform

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_REMOUNT = 32
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
MNT_DETACH = 2

AT_FDCWD = -100
AT_RECURSIVE = 0x8000
MOUNT_ATTR_RDONLY = 1
MOUNT_ATTR_NOSUID = 2
MOUNT_ATTR_NODEV = 4
MOUNT_ATTR_NOEXEC = 8

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4

SECCOMP_SET_MODE_FILTER = 1
SECCOMP_FILTER_FLAG_SPEC_ALLOW = 4

_SECCOMP_NUMBER = {"x86_64": 317, "aarch64": 277}
_CAPABILITY_VERSION_3 = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)


class _MountAttr(ctypes.Structure):
    _fields_ = (
        ("attr_set", ctypes.c_uint64),
        ("attr_clr", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("userns_fd", ctypes.c_uint64),
    )


class _CapabilityHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapabilityData(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


class _FilterProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def _checked(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def unshare(flags: int) -> None:
    """Move the calling process into new namespaces of the kinds in `flags`."""
    _checked(_libc.unshare(ctypes.c_int(flags)), f"unshare({flags:#x})")


def setns(fd: int, kind: int) -> None:
    """Enter the namespace that `fd` refers to."""
    _checked(_libc.setns(ctypes.c_int(fd), ctypes.c_int(kind)), "setns")


def mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    """mount(2)."""
    result = _libc.mount(
        source.encode() if source is not None else None,
        os.fsencode(target),
        kind.encode() if kind is not None else None,
        ctypes.c_ulong(flags),
        options.encode() if options is not None else None,
    )
    _checked(result, f"mount {kind or source} on {target}")


def unmount(target: str, flags: int = MNT_DETACH) -> None:
    """umount2(2), detached by default."""
    _checked(_libc.umount2(os.fsencode(target), ctypes.c_int(flags)), f"unmount {target}")


def restrict_mounts(target: str, attributes: int) -> None:
    """Set mount attributes on `target` and on every mount below it (Linux 5.12)."""
    attr = _MountAttr(attributes, 0, 0, 0)
    result = _libc.mount_setattr(
        ctypes.c_int(AT_FDCWD),
        os.fsencode(target),
        ctypes.c_uint(AT_RECURSIVE),
        ctypes.byref(attr),
        ctypes.c_size_t(ctypes.sizeof(attr)),
    )
    _checked(result, f"mount_setattr {target}")


def pivot_root(new: str, old: str) -> None:
    """pivot_root(2)."""
    _checked(_libc.pivot_root(os.fsencode(new), os.fsencode(old)), f"pivot_root {new}")


def prctl(option: int, second: int = 0, third: int = 0, fourth: int = 0, fifth: int = 0) -> int:
    """prctl(2)."""
    arguments = (ctypes.c_ulong(value) for value in (second, third, fourth, fifth))
    return _checked(_libc.prctl(ctypes.c_int(option), *arguments), f"prctl({option})")


def die_with_parent() -> None:
    """Have the kernel send SIGKILL to this process when the thread that forked it ends."""
    prctl(PR_SET_PDEATHSIG, 9)


def drop_bounding_set() -> None:
    """No program executed from now on can gain a capability. Needs CAP_SETPCAP."""
    for capability in range(64):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise
            return


def drop_capabilities() -> None:
    """Give up every capability that this process holds: ambient, inheritable, permitted, effective."""
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    header = _CapabilityHeader(_CAPABILITY_VERSION_3, 0)
    nothing = (_CapabilityData * 2)()
    _checked(_libc.capset(ctypes.byref(header), ctypes.byref(nothing)), "capset")


def load_filter(program: bytes) -> None:
    """Install a seccomp filter, a compiled BPF program, on the calling process. Needs no_new_privs."""
    buffer = ctypes.create_string_buffer(program, len(program))
    header = _FilterProgram(len(program) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    result = _libc.syscall(
        ctypes.c_long(_SECCOMP_NUMBER[platform.machine()]),
        ctypes.c_ulong(SECCOMP_SET_MODE_FILTER),
        ctypes.c_ulong(SECCOMP_FILTER_FLAG_SPEC_ALLOW),
        ctypes.byref(header),
    )
    _checked(result, "seccomp")
