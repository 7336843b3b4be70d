# author: grace
# expect: ranked
# what: PyTorch again, written straight into the judge's buffer through `out`

import torch


def custom_kernel(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    return torch.mean(x, dim=0, keepdim=True, out=out)
