"""Settings of the service, from the environment (prefix ``KERNELCUP_``).

Embedded mode makes its own secrets once and keeps them in the data directory. Production mode invents nothing: it
refuses to start on a missing, short or well-known secret, on SQLite, or without a broker. Every setting is
documented in docs/operations.md.
"""

from __future__ import annotations

import json
import os
import secrets
from functools import lru_cache
from pathlib import Path
from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

SECRET_NAMES = ("secret_key", "runner_key")
LEAST_SECRET_LENGTH = 32
EXAMPLE_WORDS = ("changeme", "change-me", "changethis", "example", "secret-key", "your-", "placeholder", "xxxxxxxx")
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")


def default_data_dir() -> Path:
    """Where an embedded service keeps its database, socket and secrets, by the XDG convention."""
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "kernelcup"


class Settings(BaseSettings):
    """All settings of the API and the control worker."""

    model_config = SettingsConfigDict(env_prefix="KERNELCUP_", extra="ignore")

    mode: Literal["embedded", "production"] = "embedded"
    data_dir: Path = Field(default_factory=default_data_dir)
    database_url: str = Field(default="", repr=False)
    broker_url: str = Field(default="", repr=False)
    secret_key: str = Field(default="", repr=False)
    runner_key: str = Field(default="", repr=False)
    public_url: str = "http://127.0.0.1:8000"
    api_url: str = ""
    lease_seconds: float = Field(default=30.0, gt=0)
    heartbeat_seconds: float = Field(default=5.0, gt=0)
    runner_live_seconds: float = Field(default=15.0, gt=0)
    sweep_seconds: float = Field(default=1.0, gt=0)
    decide_retry_seconds: float = Field(default=15.0, gt=0)
    confirm_within_seconds: float = Field(default=900.0, ge=0)
    confirm_retry_seconds: float = Field(default=600.0, ge=0)
    max_attempts: int = Field(default=3, ge=1)
    max_source_bytes: int = Field(default=1_000_000, ge=1)
    submissions_per_hour: int = Field(default=120, ge=1)
    fair_window_seconds: float = Field(default=600.0, ge=0)
    event_poll_seconds: float = Field(default=0.2, gt=0)
    event_keepalive_seconds: float = Field(default=15.0, gt=0)
    event_stream_seconds: float = Field(default=1800.0, gt=0)
    session_days: int = Field(default=30, ge=1)
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"

    @model_validator(mode="after")
    def _complete(self) -> Self:
        """Fill in what embedded mode may invent; refuse what production mode may not run with."""
        if self.mode == "production":
            self._refuse_insecure()
        else:
            self._fill_embedded()
        self.public_url = self.public_url.rstrip("/")
        self.api_url = (self.api_url or self.public_url).rstrip("/")
        if self.heartbeat_seconds * 2 > self.lease_seconds:
            raise ValueError("KERNELCUP_LEASE_SECONDS must be at least twice KERNELCUP_HEARTBEAT_SECONDS")
        return self

    def _refuse_insecure(self) -> None:
        for name in SECRET_NAMES:
            _check_secret(f"KERNELCUP_{name.upper()}", getattr(self, name))
        if self.secret_key == self.runner_key:
            raise ValueError("KERNELCUP_SECRET_KEY and KERNELCUP_RUNNER_KEY must differ")
        if not self.database_url or self.database_url.startswith("sqlite"):
            raise ValueError("production needs KERNELCUP_DATABASE_URL with a postgresql:// address, not SQLite")
        if not self.broker_url:
            raise ValueError("production needs KERNELCUP_BROKER_URL with a redis:// address")
        address = urlsplit(self.public_url)
        if address.scheme != "https" and address.hostname not in LOCAL_HOSTS:
            raise ValueError("production needs KERNELCUP_PUBLIC_URL to start with https://")

    def _fill_embedded(self) -> None:
        self.data_dir = self.data_dir.expanduser().absolute()
        if not self.database_url:
            self.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.database_url = f"sqlite:///{self.data_dir / 'kernelcup.db'}"
        if not self.broker_url:
            self.broker_url = f"redis+socket://{self.data_dir / 'broker.sock'}"
        if not (self.secret_key and self.runner_key):
            stored = stored_secrets(self.data_dir)
            self.secret_key = self.secret_key or stored["secret_key"]
            self.runner_key = self.runner_key or stored["runner_key"]


def _check_secret(name: str, value: str) -> None:
    advice = f"set {name} to at least {LEAST_SECRET_LENGTH} random characters, e.g. from `openssl rand -hex 32`"
    if len(value) < LEAST_SECRET_LENGTH or len(set(value)) < 8:
        raise ValueError(f"{name} is missing, too short or too simple: {advice}")
    if any(word in value.lower() for word in EXAMPLE_WORDS):
        raise ValueError(f"{name} looks like an example value: {advice}")


def stored_secrets(data_dir: Path) -> dict[str, str]:
    """The secrets of an embedded service: made once, readable by its owner alone, the same for every process.

    The file appears complete or not at all (written aside, then linked), so processes that start together agree.
    """
    path = data_dir / "secrets.json"
    data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not path.exists():
        aside = data_dir / f".secrets.{os.getpid()}.{secrets.token_hex(4)}"
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            json.dump({name: secrets.token_hex(32) for name in SECRET_NAMES}, file)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(aside, path)
        except FileExistsError:
            pass
        finally:
            aside.unlink()
    stored: dict[str, str] = json.loads(path.read_text())
    if any(not stored.get(name) for name in SECRET_NAMES):
        raise ValueError(f"{path} is damaged: restore it, or delete it to make new secrets (sessions end)")
    return stored


@lru_cache(maxsize=1)
def get_settings() -> Settings:
    """The process's settings, read from the environment once."""
    return Settings()
