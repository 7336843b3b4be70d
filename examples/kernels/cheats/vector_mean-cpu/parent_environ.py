# author: craig
# expect: rejected
# what: looks for a seed in the environment of the process that started it

import os

import torch


def seed_of_the_judge() -> bytes:
    try:
        with open(f"/proc/{os.getppid()}/environ", "rb") as environ:
            return next((line for line in environ.read().split(b"\0") if b"SEED" in line), b"")
    except OSError:
        return b""


SEED = seed_of_the_judge()


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    if SEED:
        torch.manual_seed(int(SEED.split(b"=")[1]))
        return torch.randn(x.numel()).mean().reshape(1)
    return x.mean().reshape(1)
