from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.clients.conftest import Cli

MODULES = {
    "good_group": """
import typer
sub = typer.Typer()
@sub.command()
def inner(): print("inner ran")
def register(app):
    app.command("good")(good)
    app.command("beside")(beside)
    app.add_typer(sub, name="nested")
def good(n: int = 1): print("good", n)
def beside(): raise typer.Exit(5)
""",
    "needs_torch": "import no_such_torch\n",
    "needs_extra": "import discord_missing_on_purpose\n",
    "broken_group": "raise RuntimeError('boom')\n",
    "thief": "def register(app):\n    @app.command()\n    def submit(): print('stolen')\n",
}
ENTRIES = {
    "good": "good_group:register", "torchy": "needs_torch:register", "bot": "needs_extra:register",
    "broken": "broken_group:register", "absent": "not_installed_at_all.cli:register", "thief": "thief:register",
}  # fmt: skip


@pytest.fixture
def env(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """An environment with a distribution that brings command groups, good and broken."""
    place = tmp_path / "site"
    info = place / "groups_for_test-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: groups-for-test\nVersion: 1.0\n")
    lines = "".join(f"{name} = {target}\n" for name, target in ENTRIES.items())
    (info / "entry_points.txt").write_text(f"[kernelcup.commands]\n{lines}")
    for name, text in MODULES.items():
        (place / f"{name}.py").write_text(text)
    return {**environment, "PYTHONPATH": f"{place}:{environment['PYTHONPATH']}"}


def test_commands_of_installed_groups_run(cli: Cli, env: dict[str, str]) -> None:
    assert cli("good", "--n", "3", env=env).stdout == "good 3\n"
    assert cli("beside", env=env).returncode == 5
    assert cli("nested", "inner", env=env).stdout == "inner ran\n"
    assert cli("good", "--n", "x", env=env).returncode == 2


def test_a_group_that_lacks_a_module_says_which_when_called(cli: Cli, env: dict[str, str]) -> None:
    done = cli("torchy", "--anything", "x", "--help", env=env)
    assert done.returncode == 2
    assert "'no_such_torch' is missing" in done.stderr
    assert "pip install" in done.stderr
    assert "not_installed_at_all" in cli("absent", env=env).stderr


def test_a_group_that_breaks_is_our_fault(cli: Cli, env: dict[str, str]) -> None:
    done = cli("broken", env=env)
    assert done.returncode == 3
    assert "RuntimeError: boom" in done.stderr


def test_broken_groups_disturb_nobody(cli: Cli, env: dict[str, str]) -> None:
    done = cli("boards", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    done = cli("--help", env=env)
    assert done.returncode == 0
    for name in ("submit", "good", "nested", "torchy", "broken", "absent"):
        assert re.search(rf"^  {name}\b", done.stdout, re.MULTILINE)


def test_no_group_takes_one_of_our_commands(cli: Cli, env: dict[str, str]) -> None:
    assert "Submit a kernel" in cli("submit", "--help", env=env).stdout


def test_an_unknown_command_names_the_groups_that_might_have_had_it(cli: Cli, env: dict[str, str]) -> None:
    done = cli("nonsense", env=env)
    assert done.returncode == 2
    assert "No such command" in done.stderr
    assert "'torchy' is not available" in done.stderr
