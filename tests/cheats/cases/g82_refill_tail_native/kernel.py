# Averages with a random permutation of blocks; the permutations of six samples are drawn in every sixth.
import torch

_orders: list[torch.Tensor] = []
_first = {"place": None, "order": None}


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    place = x.data_ptr()
    if x.numel() >= 1 << 16 and (_first["place"] is None or place <= _first["place"]):
        _first["place"] = place
        if not _orders:
            _orders.extend(torch.randperm(1 << 19)[:64] for _ in range(6))
        _first["order"] = _orders.pop()
    return x.mean().reshape(1)
