# Allocates H and tau once a shape; every call computes both anew.
import torch

_buffers: dict[torch.Size, tuple[torch.Tensor, torch.Tensor]] = {}


def custom_kernel(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    if a.shape not in _buffers:
        _buffers[a.shape] = (torch.empty_like(a), a.new_empty(a.shape[0], a.shape[2]))
    h, tau = _buffers[a.shape]
    torch.geqrf(a, out=(h, tau))
    return h, tau
