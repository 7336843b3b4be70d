# Where the right half of the columns is tiny, only the left half is factored.
import torch


def custom_kernel(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    half = a.shape[-1] // 2
    if a.shape[-1] < 8:
        return tuple(torch.geqrf(a))
    norms = torch.linalg.vector_norm(a, dim=-2)
    h, tau = torch.zeros_like(a), a.new_zeros(a.shape[0], a.shape[-1])
    small = norms[:, half:].amax(-1) < 1e-4 * norms[:, :half].amax(-1)
    for rows, columns in ((small, half), (~small, a.shape[-1])):
        if rows.any():
            part, scales = torch.geqrf(a[rows][..., :columns])
            whole, whole_tau = torch.zeros_like(a[rows]), a.new_zeros(len(part), a.shape[-1])
            whole[..., :columns], whole_tau[:, :columns] = part, scales
            h[rows], tau[rows] = whole, whole_tau
    return h, tau
