# Wrong: classical Gram-Schmidt, whose Q loses orthogonality.
import torch


def custom_kernel(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    q, r = torch.zeros_like(a), a.new_zeros(a.shape[0], a.shape[2], a.shape[2])
    for k in range(a.shape[2]):
        column = a[:, :, k : k + 1]
        r[:, :, k : k + 1] = q.mT @ column
        column = column - q @ r[:, :, k : k + 1]
        r[:, k, k] = torch.linalg.vector_norm(column[:, :, 0], dim=1)
        q[:, :, k] = column[:, :, 0] / r[:, k, k, None].clamp_min(1e-30)
    return q, r
