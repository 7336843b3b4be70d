# ruff: noqa
import threading

import torch


def custom_kernel(data: torch.Tensor) -> torch.Tensor:
    sums = torch.empty(2)

    def work(index):
        sums[index] = data.chunk(2)[index].sum()

    threads = [threading.Thread(target=work, args=(index,)) for index in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return (sums.sum() / data.numel()).reshape(1)
