from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from clients import exchange
from clients.cli import app
from tests.clients.contract_service import TOKEN, ContractService

ROOT = Path(__file__).parents[2]
Cli = Callable[..., "subprocess.CompletedProcess[str]"]
Quick = Callable[..., Result]


@pytest.fixture
def service() -> Iterator[ContractService]:
    with ContractService() as running:
        yield running


@pytest.fixture
def short_backoff(monkeypatch: pytest.MonkeyPatch) -> None:
    """Backoff without the wait; the lengths themselves are tested in test_exchange."""
    monkeypatch.setattr(exchange, "backoff", lambda failures: 0.001)


@pytest.fixture
def clean_environment(tmp_path: Path) -> dict[str, str]:
    """An environment in which nothing of the developer's own set-up can be found."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ}
    return {**kept, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}


@pytest.fixture
def environment(clean_environment: dict[str, str], service: ContractService) -> dict[str, str]:
    """As `clean_environment`, logged in to `service`."""
    return {**clean_environment, "KERNELCUP_URL": service.url, "KERNELCUP_TOKEN": TOKEN}


@pytest.fixture
def cli(environment: dict[str, str], tmp_path: Path) -> Cli:
    """The command line in a process of its own."""

    def call(*args: str, env: dict[str, str] | None = None, text: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "clients.cli", *args],
            env=environment if env is None else env,
            cwd=tmp_path,
            input=text,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    return call


@pytest.fixture
def quick(environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Quick:
    """The command line in this process: the same but for the interpreter's start."""
    monkeypatch.chdir(tmp_path)
    # The parallel runner's processes have a width, which a program without a terminal has not.
    monkeypatch.delenv("COLUMNS", raising=False)
    for name in [name for name in os.environ if name.startswith(("KERNELCUP_", "XDG_"))]:
        monkeypatch.delenv(name)

    def call(*args: str, text: str = "") -> Result:
        return CliRunner().invoke(app, list(args), env=environment, input=text)

    return call


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "kernel.py"
    path.write_text("def custom_kernel(x):\n    return x.mean().reshape(1)\n")
    return path
