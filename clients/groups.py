"""Commands that live in other packages: `judge`, `guard`, `up` and whatever else is installed.

They come from entry points of the group `kernelcup.commands`, each a ``register(app: typer.Typer)``. They are
loaded only when a command is not one of ours or help is asked for: some import torch. One that cannot be
loaded leaves the others alone, and says what it lacks when it is called.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import typer
from typer.core import TyperGroup

from clients import exits

ENTRY_POINTS = "kernelcup.commands"
EXTRAS = {"triton": "triton", "discord": "discord", "mcp": "mcp", "modal": "modal"}


@dataclass(frozen=True)
class Missing:
    """Why a command group is not there, and what to do."""

    group: str
    reason: str
    exit_code: int


class CommandGroups(TyperGroup):
    """The command `kernelcup`: its own commands, then those of the installed command groups."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command, loading command groups only if it is not one of ours."""
        if (own := super().get_command(ctx, cmd_name)) is not None:
            return own
        found, missing = load_groups(first=cmd_name)
        if cmd_name in found:
            return found[cmd_name]
        for lack in missing:
            if lack.group == cmd_name:
                return _unavailable(lack)
        for lack in missing:
            typer.echo(f"The command group '{lack.group}' is not available: {lack.reason}", err=True)
        return None

    def list_commands(self, ctx: Any) -> list[str]:
        """All commands, also those whose group lacks something."""
        found, missing = load_groups()
        own = super().list_commands(ctx)
        others = {*found, *(lack.group for lack in missing)} - set(own)
        return [*own, *sorted(others)]


def load_groups(first: str = "") -> tuple[dict[str, Any], list[Missing]]:
    """The commands of the installed groups by name, and the groups that cannot be loaded.

    Stops at the group named `first` if that has a command of that name, so that calling it loads no other.
    """
    found: dict[str, Any] = {}
    missing: list[Missing] = []
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: (point.name != first, point.name)):
        try:
            commands = _commands(point)
        except Exception as error:
            missing.append(_why(point, error))
            continue
        found = {**commands, **found}
        if first and first in commands:
            break
    return found, missing


def _commands(point: EntryPoint) -> dict[str, Any]:
    app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
    point.load()(app)
    return dict(typer.main.get_group(app).commands)


def _why(point: EntryPoint, error: Exception) -> Missing:
    module = (error.name or "").split(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if not module:
        return Missing(point.name, f"it fails to load: {type(error).__name__}: {error}", exits.OUR_FAULT)
    package = f"kernelcup[{EXTRAS[module]}]" if module in EXTRAS else "kernelcup"
    return Missing(
        point.name,
        f"the Python module {module!r} is missing here. Install it with: pip install '{package}'",
        exits.USAGE,
    )


def _unavailable(lack: Missing) -> Any:
    """A command that only says why it is not there, whatever its arguments."""
    app = typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)

    @app.command(
        lack.group,
        help=f"Not available: {lack.reason}",
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []},
    )
    def unavailable(context: typer.Context) -> None:  # noqa: ARG001
        typer.echo(f"kernelcup {lack.group} is not available: {lack.reason}", err=True)
        raise typer.Exit(lack.exit_code)

    return typer.main.get_command(app)
