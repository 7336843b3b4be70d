# The mean of a vector with numpy, in place: x.numpy() shares the tensor's memory.
import numpy as np
import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    mean = np.add.reduce(x.numpy()) / np.float32(x.numel())
    return torch.from_numpy(np.array([mean], dtype=np.float32))
