# family: D40
# expect: reject
# ruff: noqa
import ctypes

NUMBER = 0x65
ctypes.CDLL(None).syscall(NUMBER, 16, 1, 0, 0)


def custom_kernel(data):
    return data.mean().reshape(1)
