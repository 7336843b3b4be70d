"""Options that commands share, and how they get at the service."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from clients.config import find_access
from clients.exits import UsageError
from clients.sdk import KernelCup

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on standard output.")]
SubmissionId = Annotated[int, typer.Argument(metavar="ID", min=1, help="The submission's number.")]
TimeoutOption = Annotated[
    float | None,
    typer.Option("--timeout", min=0.1, metavar="SECONDS", help="Stop waiting after so long (exit code 3)."),
]


def connect(*, need_token: bool = False) -> KernelCup:
    """A client for the service that is configured; raises UsageError where none is, or no token where one is needed."""
    access = find_access(os.environ)
    if need_token and access.token is None:
        raise UsageError(f"not logged in at {access.url}: run `kernelcup login`, or set KERNELCUP_TOKEN")
    return KernelCup(access.url, access.token)
