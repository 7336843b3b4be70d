# Keeps fourteen bits of each value, as a product of two short ones would.
import torch


def custom_kernel(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    bits = a.contiguous().view(torch.int32)
    short = ((bits + (1 << 8)) & ~((1 << 9) - 1)).view(torch.float32)
    return tuple(torch.geqrf(short))
