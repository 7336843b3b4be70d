"""The command `kernelcup`. Its own commands know the REST API; others come from `clients.groups`."""

from __future__ import annotations

import sys
import traceback
from typing import Annotated

import typer

from clients import exits
from clients.api import installed_version
from clients.commands import login, look, work
from clients.groups import CommandGroups

app = typer.Typer(
    name="kernelcup",
    cls=CommandGroups,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=exits.MEANING,
)

for command in (
    work.submit,
    work.watch,
    work.cancel,
    look.show,
    look.submissions,
    look.boards,
    look.board,
    look.problems,
    look.problem,
    look.queue,
    login.login,
    login.logout,
):
    app.command(epilog=exits.MEANING)(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"kernelcup {installed_version()}")
        raise typer.Exit


@app.callback()
def kernelcup(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Submit kernels to KernelCup and see how they rank.

    The service and your token come from KERNELCUP_URL and KERNELCUP_TOKEN, else from `kernelcup login`, else
    from a service started in this folder with `kernelcup up`.
    """


def main() -> None:
    """Run the command line. A failure of ours exits with 3, so that it never reads as the author's."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        app()
    except Exception:
        traceback.print_exc()
        sys.exit(exits.OUR_FAULT)


if __name__ == "__main__":
    main()
