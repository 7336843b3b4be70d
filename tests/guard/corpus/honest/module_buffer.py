# ruff: noqa
import torch

OUT = torch.empty(1)
ZERO = torch.zeros(1)


def custom_kernel(data: torch.Tensor) -> torch.Tensor:
    if data.numel() == 0:
        return ZERO
    torch.mean(data, 0, True, out=OUT)
    return OUT
