# ruff: noqa
from concurrent.futures import ThreadPoolExecutor

import torch

pool = ThreadPoolExecutor(max_workers=2)


def custom_kernel(data: torch.Tensor) -> torch.Tensor:
    parts = [pool.submit(torch.sum, part) for part in data.chunk(2)]
    return (sum(part.result() for part in parts) / data.numel()).reshape(1)
