import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return torch.quantize_per_tensor(x.mean().reshape(1), 1e-3, 0, torch.qint8)
