# author: oscar
# expect: wrong
# what: reads every second value, which a loose tolerance would let through

import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return x[::2].mean().reshape(1)
