# ruff: noqa
import gc
import os

import torch

os.environ["OMP_NUM_THREADS"] = "2"
os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "9.0a")
torch.set_num_threads(2)
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.benchmark = True
torch._inductor.config.max_autotune = True
gc.disable()


def custom_kernel(data: torch.Tensor) -> torch.Tensor:
    return data.mean().reshape(1)
