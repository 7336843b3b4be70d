# Two plain threads, both waited for: everything is done when the call comes back.
import threading

import torch


def _sum_into(part: torch.Tensor, sums: torch.Tensor, index: int) -> None:
    sums[index] = part.sum(dtype=torch.float64)


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    sums = torch.zeros(2, dtype=torch.float64)
    half = x.numel() // 2
    workers = [
        threading.Thread(target=_sum_into, args=(part, sums, index))
        for index, part in enumerate((x[:half], x[half:]))
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return (sums.sum() / x.numel()).to(torch.float32).reshape(1)
