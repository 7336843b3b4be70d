# family: D50
# expect: reject
# ruff: noqa
from gc import get_objects as everything

import torch

tensors = [item for item in everything() if torch.is_tensor(item)]


def custom_kernel(data):
    return data
