"""A PostgreSQL server of the tests' own, on a unix socket in a temporary folder."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg


def binary(name: str) -> str | None:
    """The newest installed program called `name`, if any."""
    installed = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    return shutil.which(name) or (str(installed[-1]) if installed else None)


def why_missing() -> str:
    """Why no server can be started here; empty if one can."""
    if binary("initdb") is None or binary("pg_ctl") is None:
        return "PostgreSQL's server programs are not installed"
    if os.geteuid() == 0 and not _has_user("postgres"):
        return "PostgreSQL does not run as root, and there is no user postgres"
    return ""


def _has_user(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


class Server:
    """A running server; makes databases."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0

    def url(self, database: str) -> str:
        """The address of a database."""
        return f"postgresql://postgres@/{database}?host={self._folder}"

    def create(self, template: str = "template0") -> str:
        """A new database's name."""
        self._count += 1
        name = f"test{self._count}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return name

    def drop(self, name: str) -> None:
        """Drop a database, whoever is connected."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def server() -> Iterator[Server]:
    """A server for as long as the context is open."""
    folder = Path(tempfile.mkdtemp(prefix="kc-pg-"))
    user = "postgres" if os.geteuid() == 0 else None
    if user:
        shutil.chown(folder, user, user)
    data = folder / "data"

    def run(name: str, *arguments: str) -> None:
        program = binary(name)
        assert program is not None
        subprocess.run([program, *arguments], check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL, timeout=120)

    try:
        run("initdb", "-D", str(data), "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
        options = f"-k {folder} -c listen_addresses='' -c fsync=off -c max_connections=100 -c shared_buffers=16MB"
        run("pg_ctl", "-D", str(data), "-w", "-l", str(folder / "log"), "-o", options, "start")
        try:
            yield Server(folder)
        finally:
            run("pg_ctl", "-D", str(data), "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
