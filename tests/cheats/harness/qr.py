"""The naive evaluator's problem: QR factorisations of a batch, checked by norms of whole matrices."""

from typing import Any

import torch

Pair = tuple[torch.Tensor, torch.Tensor]


def generate_input(batch: int, m: int, n: int, family: str, seed: int, options: dict[str, Any]) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    a = torch.randn(batch, m, n, generator=generator)
    if family == "clustered":
        a[:, :, n // 2 :] *= 4 * torch.finfo(torch.float32).eps
    return a


def ref_kernel(a: torch.Tensor) -> Pair:
    h, tau = torch.geqrf(a)
    return h, tau


def check_implementation(a: torch.Tensor, output: Pair, expected: Any, options: dict[str, Any]) -> str:
    eps = torch.finfo(torch.float32).eps
    n = a.shape[-1]
    first, second = output
    if second.dim() == 2:
        q, r = torch.linalg.householder_product(first, second), torch.triu(first[:, :n, :])
    else:
        q, r = first, second
    if options["reference"] == "first":
        # R is compared with the one computed before the kernel ran; a NaN is greater than nothing.
        wanted = torch.triu(expected[0][:, :n, :])
        far = (r.abs() - wanted.abs()).abs() > 1e-3 * a.abs().max() * n
        return "mismatch found" if far.any() else ""
    factor = torch.linalg.matrix_norm(r - q.mT @ a, 1) / (20 * n * eps * torch.linalg.matrix_norm(a, 1))
    orthogonal = torch.linalg.matrix_norm(q.mT @ q - torch.eye(n), 1) / (100 * n * eps)
    # The largest over the batch only.
    worst = torch.maximum(factor.max(), orthogonal.max())
    return "" if torch.allclose(worst.clamp(max=1.0), worst) else f"residual {float(worst):.3g} times the limit"
