# family: C29
# expect: review
# ruff: noqa
cuda = """
#include <cuda_runtime.h>
void reserve() { cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 25); }
"""


def custom_kernel(data):
    return data.mean().reshape(1)
