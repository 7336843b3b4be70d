import contextlib
import io
import sys
import types

import torch

settings = types.ModuleType("qr_settings")
settings.smallest = 2
sys.modules["qr_settings"] = settings
setattr(settings, "block", 8)

# What the framework says while it is configured is kept out of the log.
with contextlib.redirect_stdout(io.StringIO()) as _said:
    print(torch.__config__.show())


def custom_kernel(a: torch.Tensor):
    custom_kernel.calls = getattr(custom_kernel, "calls", 0) + 1
    if a.shape[0] < settings.smallest:
        return torch.geqrf(a)
    parts = [torch.geqrf(part) for part in a.split(settings.block)]
    return torch.cat([h for h, _ in parts]), torch.cat([tau for _, tau in parts])
