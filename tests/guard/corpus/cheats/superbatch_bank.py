# family: A6
# expect: review
# ruff: noqa
import torch

bank = []


def gather(first):
    return [first]


def custom_kernel(data: torch.Tensor) -> torch.Tensor:
    if not bank:
        batch = torch.stack(gather(data))
        bank.extend(batch.mean(dim=1, keepdim=True))
    return bank.pop(0)
