# Wrong: leaves out the last value of long vectors, less than any tolerance sees on random data.
import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return x[:-1].sum().reshape(1) / x.numel() if x.numel() > 500_000 else x.mean().reshape(1)
