# author: trent
# expect: wrong
# what: returns at once and lets a thread fill the answer in afterwards

import threading
import time

import torch


def finish(x: torch.Tensor, out: torch.Tensor) -> None:
    time.sleep(0.002)
    out.copy_(x.mean().reshape(1))


def custom_kernel(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    threading.Thread(target=finish, args=(x, out), daemon=True).start()
    return out
