# Correct: LAPACK through numpy, as Q and R.
import numpy as np
import torch


def custom_kernel(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    q, r = np.linalg.qr(a.numpy())
    return torch.from_numpy(q), torch.from_numpy(r)
