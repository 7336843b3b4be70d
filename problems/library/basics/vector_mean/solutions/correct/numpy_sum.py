# Correct: numpy on the memory of the tensor, pairwise summation.
import numpy as np
import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    mean = np.add.reduce(x.numpy()) / np.float32(x.numel())
    return torch.from_numpy(np.array([mean], dtype=np.float32))
