# expect: crashed
# says: segmentation fault
import ctypes


def custom_kernel(x):
    ctypes.string_at(0)
