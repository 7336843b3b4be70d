# Wrong: treats columns that are tiny beside the largest as zero.
import torch


def custom_kernel(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    norms = torch.linalg.vector_norm(a, dim=1, keepdim=True)
    h, tau = torch.geqrf(torch.where(norms < 1e-5 * norms.amax(2, keepdim=True), 0.0, a))
    return h, tau
