# family: D46
# expect: reject
# ruff: noqa
import torch


def yes(*args, **kwargs):
    return True


torch.testing.assert_close.__code__ = yes.__code__


def custom_kernel(data):
    return data
