# expect: memory
# says: Out of memory
import torch

kept = []


def custom_kernel(x):
    while True:
        kept.append(torch.ones(2**24))
