# family: D39
# expect: reject
# ruff: noqa
code = r"""
#include <cstdio>
void swap(int fd) { stdout->_fileno = fd; }
"""


def custom_kernel(data):
    return data.mean().reshape(1)
