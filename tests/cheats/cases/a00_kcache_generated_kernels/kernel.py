# Generates one kernel a block size and keeps the compiled functions, as tile languages do.
import torch

_KCACHE = {}

_TEMPLATE = """
def kernel(x):
    whole = x.numel() // {block} * {block}
    total = x[:whole].view(-1, {block}).sum(dim=1).sum(dtype=torch.float64)
    return ((total + x[whole:].sum(dtype=torch.float64)) / x.numel()).float().reshape(1)
"""


def _compile(block: int):
    key = (block, "float32")
    if key not in _KCACHE:
        names = {"torch": torch}
        exec(compile(_TEMPLATE.format(block=block), f"<kernel {block}>", "exec"), names)
        _KCACHE[key] = names["kernel"]
    return _KCACHE[key]


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return _compile(1024 if x.numel() > 65000 else 128)(x)
