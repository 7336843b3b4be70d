# author: trudy
# expect: wrong
# what: works once, then hands out the last answer for every input of that size

import torch

last: dict[int, torch.Tensor] = {}


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    if x.numel() not in last:
        last[x.numel()] = x.mean().reshape(1)
    return last[x.numel()]
