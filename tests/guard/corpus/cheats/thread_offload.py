# family: C26
# expect: review
# ruff: noqa
from threading import Thread as T

import torch


def finish(x, out):
    out[0] = x.mean()


def custom_kernel(data: torch.Tensor) -> torch.Tensor:
    out = torch.empty(1)
    T(target=finish, args=(data, out)).start()
    return out
