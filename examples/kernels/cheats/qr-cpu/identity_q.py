# author: mallory
# expect: wrong
# what: Q = I and R = A: the product is right, and nothing was factorised

import torch


def custom_kernel(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    rows, columns = a.shape[-2:]
    q = torch.eye(rows, columns).expand(*a.shape[:-2], rows, columns).contiguous()
    return q, a[..., :columns, :].clone()
