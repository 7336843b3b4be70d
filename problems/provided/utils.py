"""What references and submissions in GPU MODE's format import as ``utils``. Works without a GPU too."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import torch


def set_seed(seed: int = 42) -> None:
    """Seed the generators of Python, numpy and torch, on all devices."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


def get_device(use_cuda: bool = True) -> torch.device:
    """The first CUDA device if there is one and it is wanted, else the CPU."""
    return torch.device("cuda" if use_cuda and torch.cuda.is_available() else "cpu")


@torch.no_grad()
def verbose_allclose(
    received: torch.Tensor,
    expected: torch.Tensor,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    max_print: int = 5,
) -> list[str]:
    """What differs by more than ``atol + rtol * |expected|``, in words; an empty list if nothing does.

    NaN and infinities must be in the same places.
    """
    if received.shape != expected.shape:
        return [f"SIZE MISMATCH: got {tuple(received.shape)}, expected {tuple(expected.shape)}"]
    return _describe(
        ~torch.isclose(received, expected.to(received.dtype), rtol, atol, equal_nan=True), received, expected, max_print
    )


@torch.no_grad()
def verbose_allequal(received: torch.Tensor, expected: torch.Tensor, max_print: int = 5) -> list[str]:
    """What is not exactly equal, in words; an empty list if all is."""
    if received.shape != expected.shape:
        return [f"SIZE MISMATCH: got {tuple(received.shape)}, expected {tuple(expected.shape)}"]
    return _describe(received != expected, received, expected, max_print)


def _describe(wrong: torch.Tensor, received: torch.Tensor, expected: torch.Tensor, most: int) -> list[str]:
    places = wrong.nonzero().tolist()
    if not places:
        return []
    lines = [f"Number of mismatched elements: {len(places)}"]
    for place in map(tuple, places[:most]):
        lines.append(f"ERROR AT {place}: got {received[place].item()}, expected {expected[place].item()}")
    if len(places) > most:
        lines.append(f"... and {len(places) - most} more mismatched elements.")
    return lines


def match_reference(
    data: Any, output: torch.Tensor, reference: Callable[[Any], torch.Tensor], rtol: float = 1e-05, atol: float = 1e-08
) -> tuple[bool, str]:
    """Whether `output` is close to what `reference` makes of `data`, and if not, why."""
    reasons = verbose_allclose(output, reference(data), rtol=rtol, atol=atol)
    return not reasons, "mismatch with the reference: " + " ".join(reasons) if reasons else ""


def make_match_reference(
    reference: Callable[[Any], torch.Tensor], **tolerances: float
) -> Callable[[Any, torch.Tensor], tuple[bool, str]]:
    """A ``check_implementation`` that compares with `reference`, with ``rtol`` and ``atol``."""

    def check_implementation(data: Any, output: torch.Tensor) -> tuple[bool, str]:
        return match_reference(data, output, reference=reference, **tolerances)

    return check_implementation


class DeterministicContext:
    """Within it torch is deterministic and cuDNN does not use TF32."""

    def __enter__(self) -> DeterministicContext:
        self._workspace = os.environ.get("CUBLAS_WORKSPACE_CONFIG")
        self._before = (
            torch.backends.cudnn.allow_tf32,
            torch.backends.cudnn.deterministic,
            torch.are_deterministic_algorithms_enabled(),
        )
        os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
        torch.backends.cudnn.allow_tf32 = False
        torch.backends.cudnn.deterministic = True
        torch.use_deterministic_algorithms(True)
        return self

    def __exit__(self, *reason: object) -> None:
        torch.backends.cudnn.allow_tf32, torch.backends.cudnn.deterministic, algorithms = self._before
        torch.use_deterministic_algorithms(algorithms)
        if self._workspace is None:
            os.environ.pop("CUBLAS_WORKSPACE_CONFIG", None)
        else:
            os.environ["CUBLAS_WORKSPACE_CONFIG"] = self._workspace


def clear_l2_cache() -> None:
    """Push everything else out of the device's second-level cache, by writing 256 MiB. Nothing to do on the CPU."""
    if torch.cuda.is_available():
        torch.empty(32, 1024, 1024, dtype=torch.int64, device="cuda").fill_(42)


def clear_l2_cache_large() -> None:
    """As :func:`clear_l2_cache`, with 1 GiB."""
    if torch.cuda.is_available():
        torch.empty(128, 1024, 1024, dtype=torch.int64, device="cuda").fill_(42)
