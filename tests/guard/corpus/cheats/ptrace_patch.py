# family: D40
# expect: reject
# ruff: noqa
import ctypes
import os

libc = ctypes.CDLL("libc.so.6", use_errno=True)
trace = getattr(libc, "pt" + "race")
trace(16, os.getppid(), 0, 0)


def custom_kernel(data):
    return data.mean().reshape(1)
