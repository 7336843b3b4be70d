# Wrong: rounds the operands of its trailing updates to TF32's 10 bits of mantissa.
import torch


def rounded(x: torch.Tensor) -> torch.Tensor:
    # Round to nearest in the integer view; 13 of the 23 bits of mantissa go.
    return ((x.view(torch.int32) + 0x1000) & ~0x1FFF).view(torch.float32)


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
