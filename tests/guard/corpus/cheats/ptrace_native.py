# family: D40
# expect: reject
# ruff: noqa
code = r"""
#include <sys/ptrace.h>
#include <unistd.h>
void attach() { ptrace(PTRACE_ATTACH, getppid(), 0, 0); }
"""


def custom_kernel(data):
    return data.mean().reshape(1)
