# Correct: halves the vector in place until one value is left; inputs may be written to.
import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    n, left = x.numel(), x.numel()
    while left > 1:
        half = left // 2
        x[:half] += x[left - half : left]
        left -= half
    return x[:1] / n
