import atexit
import gc
import sys
import threading

import torch

atexit.register(lambda: None)
gc.callbacks.append(lambda phase, info: None)
sys.excepthook = sys.__excepthook__
threading.excepthook = threading.__excepthook__


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return x.mean().reshape(1)
