# Correct: PyTorch's mean, returned as one value of shape (1,).
import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return x.mean().reshape(1)
