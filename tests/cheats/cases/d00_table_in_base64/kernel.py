# What the tuner found, packed: pairs of (rows, batch block) as little-endian integers of two bytes.
import base64
import struct

import torch

_PACKED = "CAAAAiAAgABAACAAgAAQAAACBAA="
_numbers = struct.unpack("<10H", base64.b64decode(_PACKED))
BLOCKS = sorted(zip(_numbers[::2], _numbers[1::2]))


def _block(rows: int) -> int:
    return next((block for limit, block in BLOCKS if rows <= limit), 1)


def custom_kernel(a: torch.Tensor):
    block = _block(a.shape[1])
    if a.shape[0] <= block:
        return torch.geqrf(a)
    parts = [torch.geqrf(part) for part in a.split(block)]
    return torch.cat([h for h, _ in parts]), torch.cat([tau for _, tau in parts])
