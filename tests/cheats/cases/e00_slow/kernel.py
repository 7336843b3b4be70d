# Sorts before it adds, for no good reason.
import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    ordered, _ = torch.sort(x)
    return ordered.double().mean().float().reshape(1)
