# family: C21
# expect: reject
# ruff: noqa
import ctypes
import subprocess

SOURCE = """
#include <time.h>
int clock_gettime(clockid_t which, struct timespec *now) {
    now->tv_sec = 0;
    now->tv_nsec = 1;
    return 0;
}
"""


def custom_kernel(data):
    return data.mean().reshape(1)
