from concurrent.futures import ThreadPoolExecutor

import torch

_pools = []


def _pool() -> ThreadPoolExecutor:
    if not _pools:
        _pools.append(ThreadPoolExecutor(max_workers=2))
    return _pools[0]


def custom_kernel(a: torch.Tensor):
    if a.shape[0] < 4:
        return torch.geqrf(a)
    futures = [_pool().submit(torch.geqrf, part) for part in a.chunk(2)]
    parts = [future.result() for future in futures]
    _pools.pop().shutdown(wait=True)
    return torch.cat([h for h, _ in parts]), torch.cat([tau for _, tau in parts])
