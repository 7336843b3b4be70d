import torch


def custom_kernel(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    mean = x.mean().reshape(1).clone()
    out.set_(mean.untyped_storage(), 0, (1,), (1,))
    return out
