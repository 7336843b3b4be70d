# author: ada
# expect: ranked
# what: the mean that PyTorch has

import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return x.mean().reshape(1)
