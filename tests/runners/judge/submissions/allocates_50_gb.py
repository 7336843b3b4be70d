# expect: memory
# says: Out of memory
import torch


def custom_kernel(x):
    return torch.ones(50 * 2**30 // 4).mean().reshape(1)
