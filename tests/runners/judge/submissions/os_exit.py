# expect: crashed
# says: ended by itself
import os


def custom_kernel(x):
    os._exit(0)
