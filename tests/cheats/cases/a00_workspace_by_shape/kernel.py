# Keeps H, tau and a transposed copy by shape; every call overwrites all of them.
import torch


class Workspace:
    def __init__(self, a: torch.Tensor) -> None:
        self.h = torch.empty_like(a)
        self.tau = torch.empty(a.shape[0], a.shape[2])


_workspaces: dict[torch.Size, Workspace] = {}


def custom_kernel(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    if a.shape not in _workspaces:
        _workspaces[a.shape] = Workspace(a)
    work = _workspaces[a.shape]
    torch.geqrf(a, out=(work.h, work.tau))
    return work.h, work.tau
