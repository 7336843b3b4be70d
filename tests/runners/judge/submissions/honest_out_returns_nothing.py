# expect: passed
# says:
import torch


def custom_kernel(x, out):
    torch.mean(x, dim=0, keepdim=True, out=out)
