# ruff: noqa
import time

import torch

DEBUG = False


def custom_kernel(data: torch.Tensor) -> torch.Tensor:
    start = time.perf_counter()
    result = data.mean().reshape(1)
    if DEBUG:
        print("passed after", time.perf_counter() - start, "upstream")
    return result


if __name__ == "__main__":
    x = torch.randn(1 << 20)
    assert torch.allclose(custom_kernel(x), x.mean())
    print("check passed")
