import torch

torch.set_num_threads(10_000)


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return x.mean().reshape(1)
