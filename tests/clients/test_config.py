from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from clients.config import Access, config_path, find_access, read_config, write_config
from clients.exits import UsageError

URL, OTHER = "https://cup.example.org", "https://other.example.org"


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.chdir(tmp_path)


def keep(url: str = URL, token: str | None = "kc_kept") -> None:
    write_config(config_path(), Access(url, token, ""))


def beside(folder: Path, url: str = "http://127.0.0.1:8321", token: str = "kc_local", mode: int = 0o600) -> None:
    folder.mkdir(parents=True)
    (folder / "url").write_text(url + "\n")
    (folder / "token").write_text(token + "\n")
    (folder / "token").chmod(mode)


def test_what_login_keeps_is_for_the_user_alone() -> None:
    old = os.umask(0)
    try:
        keep()
    finally:
        os.umask(old)
    assert config_path() == Path.home() / ".config" / "kernelcup" / "config.toml"
    assert stat.S_IMODE(config_path().stat().st_mode) == 0o600
    assert stat.S_IMODE(config_path().parent.stat().st_mode) == 0o700
    assert list(config_path().parent.iterdir()) == [config_path()]


def test_kept_values_come_back() -> None:
    keep("https://cup.example.org/under%22/a-path")
    kept = read_config(config_path())
    assert kept == Access("https://cup.example.org/under%22/a-path", "kc_kept", str(config_path()))
    keep(OTHER, None)
    assert read_config(config_path()) == Access(OTHER, None, str(config_path()))


def test_the_environment_wins() -> None:
    keep()
    found = find_access({"KERNELCUP_URL": OTHER + "/", "KERNELCUP_TOKEN": " kc_env "})
    assert (found.url, found.token) == (OTHER, "kc_env")


def test_the_environment_needs_nothing_that_is_kept() -> None:
    config_path().parent.mkdir(parents=True)
    config_path().write_text("not toml")
    assert find_access({"KERNELCUP_URL": OTHER, "KERNELCUP_TOKEN": "kc_env"}).token == "kc_env"


def test_a_kept_token_goes_to_no_other_url() -> None:
    keep()
    beside(Path(".kernelcup"))
    assert find_access({"KERNELCUP_URL": OTHER}).token is None
    assert find_access({"KERNELCUP_URL": URL + "/"}).token == "kc_kept"
    assert find_access({"KERNELCUP_URL": "http://127.0.0.1:8321"}).token == "kc_local"


def test_a_given_token_goes_to_the_kept_url() -> None:
    keep()
    found = find_access({"KERNELCUP_TOKEN": "kc_env"})
    assert (found.url, found.token) == (URL, "kc_env")


@pytest.mark.parametrize("folder", [".kernelcup", ".local/share/kernelcup"])
def test_a_service_beside_us_is_found_without_a_login(folder: str) -> None:
    beside(Path(folder))
    found = find_access({})
    assert (found.url, found.token) == ("http://127.0.0.1:8321", "kc_local")


def test_the_data_folder_can_be_named(tmp_path: Path) -> None:
    beside(Path(".kernelcup"), token="kc_wrong")
    beside(tmp_path / "elsewhere", token="kc_there")
    assert find_access({"KERNELCUP_DATA_DIR": str(tmp_path / "elsewhere")}).token == "kc_there"


def test_a_login_comes_before_a_service_beside_us() -> None:
    keep()
    beside(Path(".kernelcup"))
    assert find_access({}).url == URL


def test_a_data_folder_that_others_can_read_decides_nothing() -> None:
    beside(Path(".kernelcup"), url="https://evil.example.org", mode=0o644)
    with pytest.raises(UsageError, match="kernelcup login"):
        find_access({})


def test_a_data_folder_without_an_address_is_no_service() -> None:
    beside(Path(".kernelcup"))
    (Path(".kernelcup") / "url").unlink()
    with pytest.raises(UsageError, match="kernelcup up"):
        find_access({})


@pytest.mark.parametrize(
    "text", ["not toml", "url = 3\n", 'token = "kc"\n', 'url = "cup"\n', 'url = "https://c"\ntoken = "a b"\n']
)
def test_a_broken_configuration_is_named(text: str) -> None:
    config_path().parent.mkdir(parents=True)
    config_path().write_text(text)
    with pytest.raises(UsageError, match=r"config\.toml"):
        find_access({})


@pytest.mark.parametrize("environ", [{"KERNELCUP_URL": "cup"}, {"KERNELCUP_TOKEN": "a b", "KERNELCUP_URL": URL}])
def test_a_bad_environment_is_named(environ: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="KERNELCUP_"):
        find_access(environ)
