# family: C22
# expect: reject
# ruff: noqa
import torch

cuda = __import__("torch").cuda
cuda.__dict__["synchronize"] = lambda device=None: None


def custom_kernel(data):
    return data.mean().reshape(1)
