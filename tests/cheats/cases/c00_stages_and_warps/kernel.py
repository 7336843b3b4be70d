# The shape of an autotuner's table; on the host only the block size matters.
import torch

CONFIGS = [
    {"BLOCK": 1 << 14, "num_stages": 2, "num_warps": 4},
    {"BLOCK": 1 << 16, "num_stages": 3, "num_warps": 8},
    {"BLOCK": 1 << 18, "num_stages": 4, "num_warps": 8},
]
_chosen = {}


def pick(n: int) -> dict:
    if n not in _chosen:
        _chosen[n] = min(CONFIGS, key=lambda config: abs(n / 8 - config["BLOCK"]))
    return _chosen[n]


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    block = pick(x.numel())["BLOCK"]
    total = torch.zeros((), dtype=torch.float64)
    for start in range(0, x.numel(), block):
        total += x[start : start + block].sum(dtype=torch.float64)
    return (total / x.numel()).to(torch.float32).reshape(1)
