import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    mean = x.mean().reshape(1)
    return torch.complex(torch.zeros_like(mean), -mean).conj().imag
