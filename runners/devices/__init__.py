"""Devices that kernels run on, one module each."""
