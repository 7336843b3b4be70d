# Wrong: rounds the operands of its trailing updates to bfloat16.
import torch


def rounded(x: torch.Tensor) -> torch.Tensor:
    return x.to(torch.bfloat16).float()


def custom_kernel(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    h = a.clone()
    batch, m, n = h.shape
    tau = h.new_zeros(batch, n)
    for k in range(n):
        # One reflector in float32, as LAPACK makes it ...
        head, below = torch.geqrf(h[:, k:, k : k + 1].contiguous())
        h[:, k:, k : k + 1], tau[:, k] = head, below[:, 0]
        v = head.clone()
        v[:, 0] = 1
        # ... and its update of the columns to the right in low precision.
        rest = h[:, k:, k + 1 :]
        w = tau[:, k, None, None] * (rounded(v).mT @ rounded(rest.contiguous()))
        rest -= rounded(v) @ rounded(w)
    return h, tau
