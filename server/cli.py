"""The service's commands: ``kernelcup up``, ``kernelcup demo`` and ``kernelcup admin …``."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from sqlalchemy.orm import Session

    from server.settings import Settings

EXIT_USAGE, EXIT_FAULT, EXIT_INTERRUPTED = 2, 3, 130
LOCAL_DATA_DIR = Path(".kernelcup")
PIPE_WIDTH = 140
USER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")

admin = typer.Typer(help="Set up and repair a service: its database, problems, tokens and keys.", no_args_is_help=True)

DataDir = Annotated[
    Path | None,
    typer.Option(envvar="KERNELCUP_DATA_DIR", help="Where the service keeps its files [default: .kernelcup]."),
]
Host = Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 lets other machines in.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; if it is taken, a free one is used.")]


def register(app: typer.Typer) -> None:
    """Add the service's commands to the `kernelcup` command."""
    app.command()(up)
    app.command()(demo)
    app.add_typer(admin, name="admin")


def up(data_dir: DataDir = None, host: Host = "127.0.0.1", port: Port = 8321) -> None:
    """Run the whole service on this machine until Ctrl-C: database, broker, site, workers and a CPU runner."""
    from server.embedded.broker import NoBrokerError
    from server.embedded.home import AlreadyRunningError
    from server.embedded.supervisor import Options, StartError, Supervisor

    options = Options(data_dir or LOCAL_DATA_DIR, host, port, tell=typer.echo)
    try:
        status = Supervisor(options).run()
    except (AlreadyRunningError, NoBrokerError, StartError, OSError) as error:
        _fail(error)
    raise typer.Exit(status)


def demo(
    exit_after: Annotated[
        bool, typer.Option("--exit", help="End after the tables, with status 1 unless all went as expected.")
    ] = False,
    data_dir: Annotated[
        Path | None, typer.Option(help="Keep the demo's files there [default: a temporary folder, removed].")
    ] = None,
    port: Port = 8321,
) -> None:
    """Start a service of its own, send it honest kernels and cheats, and show what came of them."""
    from server.embedded.demo import DemoError, run_demo

    try:
        status = run_demo(_console(), stay=not exit_after, data_dir=data_dir, port=port)
    except KeyboardInterrupt:
        status = EXIT_INTERRUPTED
    except (DemoError, OSError) as error:
        _fail(error)
    raise typer.Exit(status)


@admin.command()
def migrate(data_dir: DataDir = None) -> None:
    """Bring the database to the newest form. Safe to repeat."""
    from server.migrate import upgrade

    upgrade(_settings(data_dir).database_url)
    typer.echo("The database has the newest form.")


@admin.command()
def sync_problems(data_dir: DataDir = None) -> None:
    """Load new and changed problems of the library, and make their boards. Safe to repeat."""
    from server.seed import sync_library

    settings = _settings(data_dir)
    with _session(settings) as session:
        names = [board.name for board in sync_library(session, settings)]
    typer.echo(f"Boards: {', '.join(names)}")


@admin.command()
def token(
    name: Annotated[str, typer.Argument(help="Whose token; the user is made if need be.")],
    label: Annotated[str, typer.Option(help="What the token is for, to recognise it later.")] = "",
    is_admin: Annotated[bool, typer.Option("--admin", help="Make the user an administrator.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Print a new bearer token for NAME. It is shown this once; only its hash is kept."""
    from server.embedded.accounts import give_token

    if not USER_NAME.fullmatch(name):
        _fail("A name has 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first.", EXIT_USAGE)
    with _session(_settings(data_dir)) as session:
        text = give_token(session, name, label, admin=is_admin)
        session.commit()
    typer.echo(text)


@admin.command()
def runner_key() -> None:
    """Print a new runner key, for KERNELCUP_RUNNER_KEY of the service and of all its runners."""
    typer.echo(secrets.token_hex(32))


def _console() -> Console:
    """The terminal, or, where there is none, lines wide enough for the tables."""
    from rich.console import Console

    console = Console()
    return console if console.is_terminal else Console(width=PIPE_WIDTH)


def _settings(data_dir: Path | None) -> Settings:
    """The environment's settings; in embedded mode those of the service in `data_dir`."""
    from pydantic import ValidationError

    from server.settings import Settings

    try:
        if os.environ.get("KERNELCUP_MODE") == "production":
            return Settings()
        return Settings(mode="embedded", data_dir=data_dir or LOCAL_DATA_DIR)
    except ValidationError as error:
        _fail("; ".join(str(item["msg"]) for item in error.errors()), EXIT_USAGE)


@contextmanager
def _session(settings: Settings) -> Iterator[Session]:
    from sqlalchemy.exc import OperationalError, ProgrammingError

    from server.db import engine_for, session_factory

    engine = engine_for(settings.database_url)
    try:
        with session_factory(engine)() as session:
            yield session
    except (OperationalError, ProgrammingError) as error:
        _fail(f"The database is not ready: {error.orig}. Run `kernelcup admin migrate` first.")
    finally:
        engine.dispose()


def _fail(error: object, status: int = EXIT_FAULT) -> NoReturn:
    typer.echo(str(error), err=True)
    raise typer.Exit(status) from None
