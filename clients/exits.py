"""Exit codes of the command line, and the error that means that the user has to change something."""

from __future__ import annotations

from clients.errors import ApiError, KernelCupError
from clients.results import Submission

SUCCESS = 0
NOT_GOOD = 1
USAGE = 2
OUR_FAULT = 3
INTERRUPTED = 130

MEANING = (
    "Exit codes: 0 ranked or passed (or done, where nothing is judged); 1 wrong, error, timeout, memory, "
    "crashed, rejected, under review or cancelled; 2 usage: bad arguments, file or board, not logged in, refused; "
    "3 our fault: judge fault, service unreachable or broken; 130 interrupted."
)


class UsageError(KernelCupError):
    """The command cannot be carried out as given; the message says what to change."""


def of_submission(submission: Submission) -> int:
    """The exit code for a submission that is done, or for one that is not: nothing is known against it."""
    if submission.succeeded or not submission.done:
        return SUCCESS
    if submission.outcome == "judge_fault" or (submission.run is not None and submission.run.fault == "ours"):
        return OUR_FAULT
    return NOT_GOOD


def of_error(error: KernelCupError) -> int:
    """The exit code for an error: what the service refuses is the user's to change, all else is ours."""
    if isinstance(error, UsageError) or (isinstance(error, ApiError) and not error.is_ours):
        return USAGE
    return OUR_FAULT
