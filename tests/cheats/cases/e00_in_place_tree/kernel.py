# Folds the vector onto itself, in place, until one value is left.
import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    n = x.numel()
    length = n
    while length > 1:
        half = length // 2
        x[:half] += x[length - half : length]
        length -= half
    return (x[:1].double() / n).float()
