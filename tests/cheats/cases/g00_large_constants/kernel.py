# Blocks of 2 ** 16; sizes up to 9 ** 9 are thought of.
import torch

BLOCK = 2 ** 16
LIMIT = 9 ** 9 * 8 ** 8
MASK = (1 << 61) - 1


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    assert x.numel() < LIMIT & MASK
    total = torch.zeros((), dtype=torch.float64)
    for start in range(0, x.numel(), BLOCK):
        total += x[start : start + BLOCK].double().sum()
    return (total / x.numel()).float().reshape(1)
