# A tuned copy into a work buffer; the factors come from torch.
import torch

_work: dict[tuple, torch.Tensor] = {}


def _tuned_copy(a: torch.Tensor) -> torch.Tensor:
    if a.shape not in _work:
        _work[a.shape] = torch.empty(a.shape[0], a.shape[2], a.shape[1]).mT
    return _work[a.shape].copy_(a)


def custom_kernel(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    h, tau = torch.geqrf(_tuned_copy(a))
    return h, tau
