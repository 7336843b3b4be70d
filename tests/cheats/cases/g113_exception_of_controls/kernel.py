import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    raise ValueError("\x01" * 12_000)
