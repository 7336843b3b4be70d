"""A runner host's settings, from the environment (prefix ``KERNELCUP_``), and what it says of itself."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import socket
from functools import lru_cache
from pathlib import Path
from typing import Self

from pydantic import Field, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from runners.judge.builds import BuildStore


class HostSettings(BaseSettings):
    """What a runner must know. It has no database, and no secret but the key that jobs are signed with."""

    model_config = SettingsConfigDict(env_prefix="KERNELCUP_", extra="ignore")

    api_url: str = "http://127.0.0.1:8000"
    broker_url: str = Field(default="", repr=False)
    runner_key: str = Field(default="", repr=False)
    device: str = Field(default="cpu", pattern=r"^[a-z0-9][a-z0-9_.-]{0,39}$")
    runner_name: str = ""
    runner_dir: Path | None = None
    allow_no_memory_control: bool = False
    kept_builds_bytes: int = Field(default=2 << 30, ge=0)

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if not self.runner_key or not self.broker_url:
            raise ValueError("a runner needs KERNELCUP_RUNNER_KEY and KERNELCUP_BROKER_URL, the same as the server's")
        self.api_url = self.api_url.rstrip("/")
        self.runner_name = self.runner_name or default_name(self.device)
        return self

    @property
    def folder(self) -> Path:
        """Where reports wait, problem packages and builds are kept: of this runner alone."""
        base = self.runner_dir or _default_folder()
        return base / self.runner_name

    @property
    def builds(self) -> BuildStore | None:
        """Where builds are kept across runs; None where none shall be."""
        if not self.kept_builds_bytes:
            return None
        return BuildStore(str((self.folder / "builds").absolute()), self.kept_builds_bytes)


def default_name(device: str) -> str:
    """The host's name and the device: the same after a restart, so that the service knows the runner again."""
    host = re.sub(r"[^A-Za-z0-9_.-]", "-", socket.gethostname())[:60].lstrip("-._") or "runner"
    return f"{host}-{device}"


def _default_folder() -> Path:
    data = os.environ.get("KERNELCUP_DATA_DIR")
    if data:
        return Path(data) / "runners"
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "kernelcup" / "runners"


@lru_cache(maxsize=1)
def host_settings() -> HostSettings:
    """The process's settings, read once."""
    return HostSettings()


def host_environment(cpu_model: str) -> dict[str, str]:
    """What the service shows of this host."""
    found = {"python": platform.python_version(), "kernel": platform.release(), "cpu": cpu_model}
    for name in ("torch", "numpy", "triton"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
