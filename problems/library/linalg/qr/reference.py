"""QR factorisations of a batch of float32 matrices."""

import torch


def ref_kernel(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    h, tau = torch.geqrf(a)
    return h, tau


def generate_input(batch: int, m: int, n: int, family: str, key: bytes) -> torch.Tensor:
    from problems.matrices import matrices

    return matrices(batch, m, n, family, key)
