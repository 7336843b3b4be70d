# ruff: noqa
import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 1024}, num_stages=2, num_warps=4)], key=["n"])
@triton.jit
def partial_sums(x, out, n, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + tl.program_id(0), tl.sum(tl.load(x + place, mask=place < n, other=0.0)))


def custom_kernel(data: torch.Tensor) -> torch.Tensor:
    n = data.numel()
    out = torch.empty(triton.cdiv(n, 1024), device=data.device)
    partial_sums[(triton.cdiv(n, 1024),)](data, out, n)
    return (out.sum() / n).reshape(1)
