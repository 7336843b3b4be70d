# family: D57
# expect: note
# ruff: noqa
import torch


def custom_kernel(data: torch.Tensor) -> torch.Tensor:
    data.zero_()
    return torch.zeros(1)
