import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["KMP_BLOCKTIME"] = "0"

import torch

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.benchmark = True
torch.set_grad_enabled(False)
torch.set_num_threads(max(1, len(os.sched_getaffinity(0))))


@torch.inference_mode()
def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return x.mean(dtype=torch.float64).float().reshape(1)
