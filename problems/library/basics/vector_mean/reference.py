"""The mean of a float32 vector."""

import torch


def ref_kernel(x: torch.Tensor) -> torch.Tensor:
    return x.mean().reshape(1)


def generate_input(n: int, family: str, key: bytes) -> torch.Tensor:
    from problems.inputs import vector

    return vector(n, family, key)
