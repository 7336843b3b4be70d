# ruff: noqa
import torch

TEMPLATE = """
def unrolled(x):
    return {terms}
"""
space = {"torch": torch}
exec(TEMPLATE.format(terms=" + ".join(f"x[{i}::4].sum()" for i in range(4))), space)


def custom_kernel(data: torch.Tensor) -> torch.Tensor:
    return (space["unrolled"](data) / data.numel()).reshape(1)
