# Writes straight into the output where it is given one.
import torch


def custom_kernel(x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    return torch.mean(x, dim=0, keepdim=True, out=out)
