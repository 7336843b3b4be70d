# author: mallory
# expect: wrong
# what: keeps each answer under the address of its input

import torch

answers: dict[int, torch.Tensor] = {}


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    key = x.data_ptr()
    if key not in answers:
        answers[key] = x.mean().reshape(1)
    return answers[key]
