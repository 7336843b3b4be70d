# author: niaj
# expect: wrong
# what: factorises a bfloat16 copy, at an eighth of the promised digits

import torch


def custom_kernel(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.geqrf(a.bfloat16().float())
