# author: sybil
# expect: wrong
# what: the first call finds the inputs of all later calls and computes them at once; the rest are look-ups

import gc

import torch

bank: dict[int, torch.Tensor] = {}


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    if x.data_ptr() not in bank:
        alike = [o for o in gc.get_objects() if type(o) is torch.Tensor and o.shape == x.shape]
        batch = torch.stack([x, *alike]).mean(dim=1)
        for tensor, mean in zip([x, *alike], batch, strict=True):
            bank[tensor.data_ptr()] = mean.reshape(1)
    return bank[x.data_ptr()]
