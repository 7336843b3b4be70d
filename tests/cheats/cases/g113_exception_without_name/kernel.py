import torch


class Nameless(type):
    @property
    def __name__(cls) -> str:
        raise RuntimeError("no name")


class Unknown(Exception, metaclass=Nameless):
    pass


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    raise Unknown
