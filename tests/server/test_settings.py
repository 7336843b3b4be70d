"""Settings: secure or not at all, and all of them documented."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest
from pydantic import ValidationError

from runners.host import HostSettings
from server.settings import Settings, stored_secrets

GOOD = {
    "mode": "production",
    "secret_key": "0123456789abcdef" * 4,
    "runner_key": "fedcba9876543210" * 4,
    "database_url": "postgresql://db/kernelcup",
    "broker_url": "redis://broker/0",
    "public_url": "https://cup.test",
}
OPERATIONS = Path(__file__).parents[2] / "docs" / "operations.md"


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for name in list(os.environ):
        if name.startswith("KERNELCUP_"):
            monkeypatch.delenv(name)


def test_production_starts_with_everything_given() -> None:
    settings = Settings(**GOOD)  # type: ignore[arg-type]
    assert settings.api_url == "https://cup.test"


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"secret_key": ""}, "KERNELCUP_SECRET_KEY"),
        ({"runner_key": ""}, "KERNELCUP_RUNNER_KEY"),
        ({"secret_key": "short"}, "KERNELCUP_SECRET_KEY"),
        ({"secret_key": "a" * 64}, "too simple"),
        ({"secret_key": "changeme-0123456789-0123456789-0123456789"}, "example"),
        ({"runner_key": GOOD["secret_key"]}, "differ"),
        ({"database_url": "sqlite:///x.db"}, "SQLite"),
        ({"database_url": ""}, "KERNELCUP_DATABASE_URL"),
        ({"broker_url": ""}, "KERNELCUP_BROKER_URL"),
        ({"public_url": "http://cup.test"}, "https"),
        ({"lease_seconds": 6}, "KERNELCUP_LEASE_SECONDS"),
    ],
)
def test_production_refuses_what_is_insecure(change: dict[str, object], word: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(word)):
        Settings(**{**GOOD, **change})  # type: ignore[arg-type]


def test_secrets_are_not_in_the_representation() -> None:
    text = repr(Settings(**GOOD))  # type: ignore[arg-type]
    assert GOOD["secret_key"] not in text
    assert GOOD["runner_key"] not in text


def test_embedded_mode_makes_its_secrets_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    first = Settings(data_dir=tmp_path)
    second = Settings(data_dir=tmp_path)
    assert first.secret_key == second.secret_key
    assert first.secret_key != first.runner_key
    assert len(first.runner_key) == 64
    assert stat.S_IMODE((tmp_path / "secrets.json").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secrets.json"]


def test_a_damaged_secrets_file_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "secrets.json").write_text('{"secret_key": ""}')
    with pytest.raises(ValueError, match="damaged"):
        stored_secrets(tmp_path)


def test_every_setting_is_documented() -> None:
    text = OPERATIONS.read_text()
    names = [*Settings.model_fields, *HostSettings.model_fields]
    missing = [name for name in names if f"`KERNELCUP_{name.upper()}`" not in text]
    assert missing == []


def test_every_default_in_the_documentation_is_the_real_one() -> None:
    rows = re.findall(r"^\| `KERNELCUP_([A-Z_]+)` \| `?([^|`]*)`? \|", OPERATIONS.read_text(), re.MULTILINE)
    fields = {**HostSettings.model_fields, **Settings.model_fields}
    stated = {name.lower(): default.strip() for name, default in rows}
    for name, field in fields.items():
        if isinstance(field.default, (int, float)) and not isinstance(field.default, bool):
            assert float(stated[name].replace(",", "")) == float(field.default), name


def test_a_runner_needs_key_and_broker() -> None:
    with pytest.raises(ValidationError, match="KERNELCUP_RUNNER_KEY"):
        HostSettings()
    assert HostSettings(runner_key="k", broker_url="redis://b").runner_name.endswith("-cpu")
