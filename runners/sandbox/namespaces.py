"""Namespaces: the judge's own, and the process tree of each cell."""

from __future__ import annotations

import os
from pathlib import Path

from runners.sandbox import libc

CELL_BEFORE_ATTACH = libc.CLONE_NEWNS | libc.CLONE_NEWNET | libc.CLONE_NEWIPC | libc.CLONE_NEWUTS

_THROWAWAY_BASE = 200_000
_MAX_PID = 1 << 22


def thread_count() -> int:
    """How many threads this process has. More than one makes forking unsafe and user namespaces impossible."""
    return len(os.listdir("/proc/self/task"))


def isolate_judge(kind: str) -> None:
    """Give the calling process a mount namespace of its own; called in a fresh fork, before anything is opened.

    As "root" the process stays itself. As "user" the work goes on in a grandchild, which is root of a new user
    namespace and pid 1 of a new pid namespace, because only an owner of its pid namespace can come back to it after
    making another; the caller waits for it and dies with it.
    """
    if kind == "root":
        libc.unshare(libc.CLONE_NEWNS)
    else:
        _become_user_root()
    libc.mount(None, "/", None, libc.MS_REC | libc.MS_PRIVATE)
    if kind != "root":
        libc.mount("proc", "/proc", "proc", libc.MS_NOSUID | libc.MS_NODEV | libc.MS_NOEXEC)


def _become_user_root() -> None:
    uid, gid = os.getuid(), os.getgid()
    libc.unshare(libc.CLONE_NEWUSER | libc.CLONE_NEWNS | libc.CLONE_NEWPID)
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"0 {uid} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"0 {gid} 1", encoding="ascii")
    libc.die_with_parent()
    libc.prctl(libc.PR_SET_DUMPABLE, 1)
    alive_read, alive_write = os.pipe()
    judge = os.fork()
    if judge:
        os.close(alive_read)
        _wait_for(judge, keep=alive_write)
    os.close(alive_write)
    libc.die_with_parent()
    os.set_blocking(alive_read, False)
    try:
        if not os.read(alive_read, 1):
            os._exit(1)
    except BlockingIOError:
        os.close(alive_read)


def _wait_for(judge: int, keep: int) -> None:
    """Hold nothing but the pipe that shows that this process lives, and end as the judge ends."""
    os.closerange(3, keep)
    os.closerange(keep + 1, 4096)
    _, status = os.waitpid(judge, 0)
    os._exit(max(0, os.waitstatus_to_exitcode(status)) or (1 if status else 0))


class PidNamespaces:
    """Forks children that are each pid 1 of a new pid namespace, and children of this process all the same."""

    def __init__(self) -> None:
        self._own = os.open("/proc/self/ns/pid", os.O_RDONLY)

    def fork(self) -> int:
        """As os.fork()."""
        libc.unshare(libc.CLONE_NEWPID)
        try:
            pid = os.fork()
        except OSError:
            libc.setns(self._own, libc.CLONE_NEWPID)
            raise
        if pid:
            libc.setns(self._own, libc.CLONE_NEWPID)
        return pid

    def close(self) -> None:
        """Release the descriptor."""
        os.close(self._own)


def throwaway_uid(judge_pid: int, *, second: bool = False) -> int:
    """A uid that no account and no other live judge has; the `second` one of the same judge differs from the first.

    Where this root is itself confined to a range of uids, the uid lies in the upper part of that range.
    """
    first, _, count = (int(word) for word in Path("/proc/self/uid_map").read_text("ascii").split()[:3])
    if first + count > _THROWAWAY_BASE + 2 * _MAX_PID:
        return _THROWAWAY_BASE + judge_pid + (_MAX_PID if second else 0)
    upper = first + count // 2
    return upper + (2 * judge_pid + second) % (count - count // 2)
