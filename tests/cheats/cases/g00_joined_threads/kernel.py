# Eight threads, each with its part of the vector; all are waited for.
import threading

import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    parts = x.chunk(8)
    sums = torch.zeros(len(parts), dtype=torch.float64)

    def add(index: int) -> None:
        sums[index] = parts[index].double().sum()

    threads = [threading.Thread(target=add, args=(index,)) for index in range(len(parts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return (sums.sum() / x.numel()).float().reshape(1)
