# Wrong: factors the first matrix and returns it for all of the batch.
import torch


def custom_kernel(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    h, tau = torch.geqrf(a[:1])
    return h.expand_as(a).clone(), tau.expand(a.shape[0], -1).clone()
