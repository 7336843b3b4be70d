# author: katherine
# expect: ranked
# what: NumPy's pairwise sum

import numpy as np
import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.mean(x.numpy(), keepdims=True))
