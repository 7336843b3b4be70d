"""KernelCup from Python: `KernelCup` blocks, `AsyncKernelCup` does not, and both do the same.

    with KernelCup("https://cup.example.org", token) as cup:
        submission = cup.submit(Path("kernel.py"), board="vector_mean-cpu")
        print(cup.wait(submission.id).outcome)

Every method may raise `ApiError`, `Unreachable` or `AnswerError` (all are `KernelCupError`). Requests are
repeated after connection errors and the statuses 429, 502, 503 and 504; `Retry-After` is honoured up to a
minute. A repeated submission carries the same idempotency key, so it is never submitted twice.
"""

from __future__ import annotations

from clients.asynchronous import AsyncKernelCup
from clients.blocking import KernelCup
from clients.errors import AnswerError, ApiError, KernelCupError, Unreachable, WaitTimeoutError

__all__ = [
    "AnswerError",
    "ApiError",
    "AsyncKernelCup",
    "KernelCup",
    "KernelCupError",
    "Unreachable",
    "WaitTimeoutError",
]
