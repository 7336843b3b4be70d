# The template is plain text and its only hole a constant: an unrolled sum of so many parts.
import torch

PARTS = 4
TEMPLATE = """
def partial_sums(x, step):
    return ({terms})
"""
TERM = "x[{k} * step : {k} * step + step].sum(dtype=torch.float64)"

_names = {"torch": torch}
exec(TEMPLATE.format(terms=" + ".join(TERM.format(k=k) for k in range(PARTS))), _names)
partial_sums = _names["partial_sums"]


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    step = x.numel() // PARTS
    total = partial_sums(x, step) + x[PARTS * step :].sum(dtype=torch.float64)
    return (total / x.numel()).to(torch.float32).reshape(1)
