"""A Triton kernel in Triton's interpreter, which its author asks for."""

import os

os.environ["TRITON_INTERPRET"] = "1"

import torch
import triton
import triton.language as tl


@triton.jit
def sums(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + tl.program_id(0), tl.sum(tl.load(x + at, mask=at < n, other=0.0).to(tl.float64)))


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    n, block = x.numel(), 16384
    parts = torch.empty(triton.cdiv(n, block), dtype=torch.float64)
    sums[(parts.numel(),)](x, parts, n, BLOCK=block)
    return (parts.sum() / n).float().reshape(1)
