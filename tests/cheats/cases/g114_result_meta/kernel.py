import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return torch.empty(1, device="meta")
