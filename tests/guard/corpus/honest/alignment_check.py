# ruff: noqa
import torch


def custom_kernel(data: torch.Tensor) -> torch.Tensor:
    aligned = data.data_ptr() % 16 == 0
    pieces = data.view(-1, 4) if aligned and data.numel() % 4 == 0 else data.view(-1, 1)
    return pieces.sum(dim=0).sum().reshape(1) / data.numel()
