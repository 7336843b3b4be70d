# Wrong: rounds the values to bfloat16 before it adds them in float32.
import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return x.to(torch.bfloat16).float().mean().reshape(1)
