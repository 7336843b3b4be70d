# Allocates the result and the partial sums once a shape; their contents are computed in every call.
import torch

_buffers = {}


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    if x.shape not in _buffers:
        _buffers[x.shape] = (torch.empty((), dtype=torch.float32), torch.empty(1))
    total, out = _buffers[x.shape]
    torch.mean(x, dim=0, out=total)
    out[0] = total
    return out
