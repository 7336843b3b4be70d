# Looks for values that are no numbers, then averages in single precision.
import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    if torch.any(torch.isnan(x)):
        return torch.full((1,), float("nan"))
    return x.double().sum().div(x.numel()).float().reshape(1)
