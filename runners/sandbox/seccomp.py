"""System-call filters, compiled once and loaded by every cell."""

from __future__ import annotations

import errno
import functools
import os

import pyseccomp

from runners.sandbox import libc, syscalls


def _condition(argument: syscalls.Argument) -> pyseccomp.Arg:
    return pyseccomp.Arg(argument.index, pyseccomp.MASKED_EQ, argument.mask, argument.value)


def _exists(name: str) -> bool:
    """Whether this machine, and this libseccomp, know the call; negative numbers stand for other machines' calls."""
    return int(pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)) >= 0


@functools.cache
def compiled(stage: str) -> bytes:
    """The filter of a stage ("build" or "time") as a BPF program. Takes some 20 ms the first time."""
    rules = syscalls.STAGES[stage]
    refuse = pyseccomp.SyscallFilter(pyseccomp.ERRNO(errno.EPERM))
    refuse.set_attr(pyseccomp.Attr.ACT_BADARCH, pyseccomp.ERRNO(errno.ENOSYS))
    allowed = set()
    for rule in rules:
        if _exists(rule.name):
            allowed.add(rule.name)
            refuse.add_rule(pyseccomp.ALLOW, rule.name, *map(_condition, rule.conditions))
    for name in syscalls.FALL_BACK:
        if name not in allowed and _exists(name):
            refuse.add_rule(pyseccomp.ERRNO(errno.ENOSYS), name)
    for name in syscalls.FORBIDDEN:
        if _exists(name):
            refuse.add_rule(pyseccomp.KILL_PROCESS, name)
    return _export(refuse)


def _export(program: pyseccomp.SyscallFilter) -> bytes:
    with os.fdopen(os.memfd_create("filter"), "w+b") as file:
        program.export_bpf(file)
        file.seek(0)
        return file.read()


def load(program: bytes) -> None:
    """Put the calling process under a compiled filter, for good. no_new_privs must be set."""
    libc.load_filter(program)
