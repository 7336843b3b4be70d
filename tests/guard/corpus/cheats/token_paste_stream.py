# family: C25
# expect: review
# ruff: noqa
import torch

cuda = """
#include <cuda_runtime.h>
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
void make(void** s) {
    JOIN(cudaStr, eamCreateWithFlags)((cudaStr ## eam_t*)s, JOIN(cudaStr, eamNonBlocking));
}
"""


def custom_kernel(data):
    return data.mean().reshape(1)
