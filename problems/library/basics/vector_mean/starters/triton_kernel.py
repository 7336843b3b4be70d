# The mean of a vector in Triton: one partial sum a program, then one program that adds them up.
import os

import torch

if not torch.cuda.is_available():
    # Without a GPU Triton's interpreter runs the kernel: right, but slow.
    os.environ.setdefault("TRITON_INTERPRET", "1")

import triton
import triton.language as tl


@triton.jit
def partial_sums(x, sums, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(sums + tl.program_id(0), tl.sum(tl.load(x + at, mask=at < n, other=0.0)))


@triton.jit
def divide(sums, y, count, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(y, tl.sum(tl.load(sums + at, mask=at < count, other=0.0)) / n)


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    n = x.numel()
    block = 8192 if x.is_cuda else 262144
    count = triton.cdiv(n, block)
    sums, y = x.new_empty(count), x.new_empty(1)
    partial_sums[(count,)](x, sums, n, BLOCK=block)
    divide[(1,)](sums, y, count, n, BLOCK=triton.next_power_of_2(count))
    return y
