# Scales each matrix by a power of two from the trace of A @ A.T, so that no square overflows.
import torch


def custom_kernel(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    gram = a @ a.mT
    size = gram.diagonal(dim1=-2, dim2=-1).sum(-1).sqrt()
    size = torch.where(torch.isfinite(size) & (size > 1e-15), size, 1.0)
    scale = torch.exp2(torch.floor(torch.log2(size)))[:, None, None]
    h, tau = torch.geqrf(a / scale)
    upper = torch.ones(a.shape[-2:], dtype=torch.bool).triu()
    return torch.where(upper, h * scale, h), tau
