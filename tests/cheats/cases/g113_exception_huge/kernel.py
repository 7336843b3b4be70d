import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    raise ValueError("\0\ud800" * 50_000_000)
