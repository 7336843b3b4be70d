# ruff: noqa
import torch


def custom_kernel(data: torch.Tensor) -> torch.Tensor:
    while data.numel() > 1 and data.numel() % 2 == 0:
        half = data.numel() // 2
        data[:half] += data[half:]
        data = data[:half] / 2
    return data.mean().reshape(1)
