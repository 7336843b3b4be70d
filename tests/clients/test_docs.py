"""The documentation names what there is."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
import typer

from clients import exits
from clients.cli import app
from clients.errors import KernelCupError
from clients.sdk import AsyncKernelCup, KernelCup

DOCS = Path(__file__).parents[2] / "docs" / "clients"
COMMANDS = typer.main.get_group(app).commands


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_each_command_and_its_options_are_documented(name: str) -> None:
    text = (DOCS / "cli.md").read_text()
    assert re.search(rf"`(kernelcup )?{name}\b", text)
    for parameter in COMMANDS[name].params:
        for option in (*parameter.opts, *parameter.secondary_opts):
            assert not option.startswith("--") or option in text or option in ("--help", "--wait"), option


@pytest.mark.parametrize("client", [KernelCup, AsyncKernelCup])
def test_each_method_of_the_sdk_is_documented(client: type) -> None:
    text = (DOCS / "sdk.md").read_text()
    for name, _ in inspect.getmembers(client, inspect.isfunction):
        assert name.startswith("_") or f"`{name}(" in text or f", `{name}(" in text, name


def test_each_error_and_exit_code_is_documented() -> None:
    sdk, cli = (DOCS / "sdk.md").read_text(), (DOCS / "cli.md").read_text()
    shown = [kind for kind in KernelCupError.__subclasses__() if kind is not exits.UsageError]
    assert len(shown) == 4
    assert all(f"`{kind.__name__}`" in sdk for kind in shown)
    for code in (exits.SUCCESS, exits.NOT_GOOD, exits.USAGE, exits.OUR_FAULT, exits.INTERRUPTED):
        assert f"| {code} |" in cli
