import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return x.mean().reshape(1).to_sparse()
