# family: D50
# expect: reject
# ruff: noqa
import gc

import torch


def custom_kernel(data: torch.Tensor) -> torch.Tensor:
    for thing in gc.get_objects():
        if isinstance(thing, torch.Tensor) and thing.shape == (1,):
            return thing.clone()
    return data
