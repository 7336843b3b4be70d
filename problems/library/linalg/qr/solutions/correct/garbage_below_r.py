# Correct: leaves rubbish below the diagonal of R, which nobody reads.
import torch


def custom_kernel(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    q, r = torch.linalg.qr(a)
    return q, r + torch.full_like(r, torch.nan).tril(-1)
