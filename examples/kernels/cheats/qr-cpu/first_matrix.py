# author: oscar
# expect: wrong
# what: factorises the first matrix of the batch and repeats it

import torch


def custom_kernel(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    h, tau = torch.geqrf(a[:1])
    return h.expand(a.shape).contiguous(), tau.expand(a.shape[0], -1).contiguous()
