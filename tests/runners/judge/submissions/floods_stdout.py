# expect: error
# says: printed more than
import os


def custom_kernel(x):
    block = b"x" * (1 << 20)
    for _ in range(1024):
        os.write(1, block)
    return x.mean().reshape(1)
