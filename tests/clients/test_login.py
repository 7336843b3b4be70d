from __future__ import annotations

import json
import os
import pty
import stat
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from tests.clients.conftest import Cli
from tests.clients.contract_service import TOKEN, ContractService, Drop


def config(tmp_path: Path) -> Path:
    return tmp_path / ".config" / "kernelcup" / "config.toml"


def test_login_from_a_pipe_then_work_then_logout(
    service: ContractService, cli: Cli, clean_environment: dict[str, str], tmp_path: Path
) -> None:
    done = cli("login", "--url", service.url + "/", env=clean_environment, text=TOKEN + "\n")
    assert done.returncode == 0, done.stderr
    assert f"logged in at {service.url} as ada" in done.stderr
    assert TOKEN not in done.stdout + done.stderr
    assert stat.S_IMODE(config(tmp_path).stat().st_mode) == 0o600
    assert cli("submissions", env=clean_environment).returncode == 0
    assert cli("logout", env=clean_environment).returncode == 0
    assert not config(tmp_path).exists()
    assert cli("submissions", env=clean_environment).returncode == 2
    assert "was not logged in" in cli("logout", env=clean_environment).stderr


@pytest.mark.timeout(120)
def test_login_at_a_terminal_asks_and_hides_the_token(
    service: ContractService, clean_environment: dict[str, str], tmp_path: Path
) -> None:
    screen, terminal = pty.openpty()
    command = [sys.executable, "-m", "clients.cli", "login"]
    env = {**clean_environment, "TERM": "dumb"}
    with subprocess.Popen(
        command, env=env, stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True
    ) as it:
        os.close(terminal)
        shown = _until(screen, b"URL of the service")
        os.write(screen, service.url.encode() + b"\n")
        shown += _until(screen, b"Token for")
        while termios.tcgetattr(screen)[3] & termios.ECHO:  # what is typed before the echo is off is thrown away
            time.sleep(0.01)
        os.write(screen, TOKEN.encode() + b"\n")
        shown += _until(screen, b"logged in at")
        assert it.wait(30) == 0
    os.close(screen)
    assert TOKEN.encode() not in shown
    assert TOKEN in config(tmp_path).read_text()


def _until(screen: int, words: bytes) -> bytes:
    shown = b""
    while words not in shown:
        shown += os.read(screen, 4096)
    return shown


def test_a_token_that_does_not_work_is_not_kept(
    service: ContractService, cli: Cli, clean_environment: dict[str, str], tmp_path: Path
) -> None:
    done = cli("login", "--url", service.url, env=clean_environment, text="kc_wrong\n")
    assert done.returncode == 2
    service.fail("/me", *[Drop()] * 9)
    done = cli("login", "--url", service.url, "--json", env=clean_environment, text=TOKEN)
    assert done.returncode == 3
    assert json.loads(done.stdout)["error"]["code"] == "Unreachable"
    assert not config(tmp_path).exists()


def test_what_is_no_url_or_token_is_a_usage_error(cli: Cli, clean_environment: dict[str, str]) -> None:
    assert cli("login", env=clean_environment, text="kc_x").returncode == 2
    assert cli("login", "--url", "cup", env=clean_environment, text="kc_x").returncode == 2
    done = cli("login", "--url", "http://127.0.0.1:1", env=clean_environment, text="two words")
    assert done.returncode == 2
    assert "not a token" in done.stderr


def test_a_service_beside_us_needs_no_login(
    service: ContractService, cli: Cli, clean_environment: dict[str, str], tmp_path: Path, kernel: Path
) -> None:
    folder = tmp_path / ".kernelcup"
    folder.mkdir()
    (folder / "url").write_text(service.url + "\n")
    (folder / "token").write_text(TOKEN + "\n")
    (folder / "token").chmod(0o600)
    done = cli("submit", str(kernel), "-b", "vector_mean-cpu", "--no-wait", env=clean_environment)
    assert done.returncode == 0, done.stderr
