import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    last = ValueError("first")
    for _ in range(100_000):
        following = ValueError("next")
        following.__cause__ = last
        last = following
    raise last
