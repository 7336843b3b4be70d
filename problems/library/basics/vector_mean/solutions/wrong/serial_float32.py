# Wrong: adds one value after the other in float32, whose error grows with n.
import numpy as np
import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    serial = np.cumsum(x.numpy(), dtype=np.float32)[-1]
    return torch.tensor([serial]) / x.numel()
