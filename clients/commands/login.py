"""`login` and `logout`."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from clients import api
from clients.commands.options import JsonOption
from clients.config import Access, config_path, read_config, write_config
from clients.console import note, print_json, reported
from clients.exits import UsageError
from clients.sdk import KernelCup


@reported
def login(
    url: Annotated[str | None, typer.Option("--url", help="The service's URL; asked for if not given.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Keep a service's URL and your token.

    The token is asked for, or read from standard input where that is no terminal (`kernelcup login --url URL
    < token`); it is tried, then kept in the user's configuration folder, for the user's eyes only, and never
    shown.
    """
    url = _checked_url(url or os.environ.get("KERNELCUP_URL") or _asked_url())
    token = _checked_token(_asked_token(url))
    if not url.startswith("https:") and not api.is_loopback(url):
        note(f"warning: {url} is not encrypted; others on the way can read the token")
    with KernelCup(url, token) as cup:
        me = cup.me()
    write_config(config_path(), Access(url, token, ""))
    note(f"logged in at {url} as {me.name}")
    if as_json:
        print_json({"url": url, "name": me.name})


@reported
def logout(as_json: JsonOption = False) -> None:
    """Forget the URL and the token that `login` kept. The token itself stays valid."""
    was_there = config_path().exists()
    config_path().unlink(missing_ok=True)
    note("logged out" if was_there else "was not logged in")
    if as_json:
        print_json({"logged_out": was_there})


def _asked_url() -> str:
    if not sys.stdin.isatty():
        raise UsageError("give the service's URL with --url")
    try:
        kept = read_config(config_path())
    except UsageError:
        kept = None
    return str(typer.prompt("URL of the service", default=kept.url if kept else None, err=True))


def _asked_token(url: str) -> str:
    if sys.stdin.isatty():
        return str(typer.prompt(f"Token for {url}", hide_input=True, err=True))
    return sys.stdin.readline(4096)


def _checked_url(url: str) -> str:
    try:
        return api.base_url(url)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _checked_token(token: str) -> str:
    try:
        return api.checked_token(token)
    except ValueError as error:
        raise UsageError(str(error)) from None
