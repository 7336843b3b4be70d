# Wrong: stops one column early and scales what is left to look like a factor.
import torch


def custom_kernel(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    h, tau = torch.geqrf(a)
    h[:, :, -1] *= 1 + 2e-5
    return h, tau
