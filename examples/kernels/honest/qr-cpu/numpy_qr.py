# author: katherine
# expect: ranked
# what: NumPy's batched QR, which gives Q and R instead of reflectors

import numpy as np
import torch


def custom_kernel(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    q, r = np.linalg.qr(a.numpy(), mode="reduced")
    return torch.from_numpy(q), torch.from_numpy(r)
