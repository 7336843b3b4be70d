# expect: crashed
# says: an abort
import os


def custom_kernel(x):
    os.abort()
