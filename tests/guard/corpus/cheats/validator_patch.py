# family: D48
# expect: reject
# ruff: noqa
import torch as th
from torch import linalg

linalg.householder_product = lambda a, tau: a
th.allclose = lambda *args, **kwargs: True


def custom_kernel(data):
    return data
