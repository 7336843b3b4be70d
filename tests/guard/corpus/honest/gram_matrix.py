# ruff: noqa
import torch


def custom_kernel(A: torch.Tensor) -> torch.Tensor:
    if torch.any(torch.isnan(A)):
        raise ValueError("not finite")
    return (A @ A.T).float()
