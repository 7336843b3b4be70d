# ruff: noqa
import torch

_work = {}


def custom_kernel(A: torch.Tensor):
    key = (A.shape, A.device)
    if key not in _work:
        _work[key] = {"h": torch.empty_like(A), "tau": torch.empty(A.shape[:-1], device=A.device)}
    space = _work[key]
    torch.geqrf(A, out=(space["h"], space["tau"]))
    return space["h"], space["tau"]
