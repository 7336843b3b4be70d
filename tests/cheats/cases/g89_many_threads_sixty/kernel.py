# Sixty threads that do nothing but be there when this process is stopped.
import threading

import torch

_gate = threading.Event()
_sleepers = [threading.Thread(target=_gate.wait, daemon=True) for _ in range(60)]
for _sleeper in _sleepers:
    _sleeper.start()


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return x.mean().reshape(1)
