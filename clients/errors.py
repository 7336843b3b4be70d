"""What can go wrong between a client and the service."""

from __future__ import annotations


class KernelCupError(Exception):
    """Base of everything that the SDK raises on purpose."""


class ApiError(KernelCupError):
    """The service refused a request, RFC 9457.

    `code` is stable for programs, `detail` is for people. `retry_after` is how many seconds the service asked
    to wait, if it did.
    """

    def __init__(self, status: int, code: str, title: str, detail: str, *, retry_after: float | None = None) -> None:
        super().__init__(f"{title} ({status}): {detail}" if detail else f"{title} ({status})")
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.retry_after = retry_after

    @property
    def is_ours(self) -> bool:
        """Whether the service, not the request, is at fault."""
        return self.status >= 500


class Unreachable(KernelCupError):
    """The service did not answer, also not after the retries."""


class AnswerError(KernelCupError):
    """Something answered, but not as KernelCup's API does: the wrong URL, a proxy's page, a broken server."""


class WaitTimeoutError(KernelCupError, TimeoutError):
    """A submission was not done within the time that the caller gave. It goes on without the caller."""
