"""Where the command line finds the service and the token.

In this order: `KERNELCUP_URL` and `KERNELCUP_TOKEN`; what `kernelcup login` kept; a service that runs beside us
(`kernelcup up` leaves `url` and `token` in its data folder: `KERNELCUP_DATA_DIR`, else `.kernelcup` here, else the
user's own). A kept token goes to the URL that it was kept with and to no other.
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import typer

from clients import api
from clients.exits import UsageError


@dataclass(frozen=True)
class Access:
    """A service and the token for it, if any. `origin` says where the URL came from."""

    url: str
    token: str | None
    origin: str


def config_path() -> Path:
    """The file that `kernelcup login` writes, e.g. ``~/.config/kernelcup/config.toml``."""
    return Path(typer.get_app_dir("kernelcup")) / "config.toml"


def find_access(environ: Mapping[str, str] = os.environ) -> Access:
    """The service to talk to; raises UsageError where there is none or something kept cannot be read."""
    url, token = environ.get("KERNELCUP_URL", "").strip(), environ.get("KERNELCUP_TOKEN", "").strip()
    given_token = _token(token, "KERNELCUP_TOKEN") if token else None
    chosen = Access(_url(url, "KERNELCUP_URL"), given_token, "KERNELCUP_URL") if url else None
    if chosen is not None and given_token is not None:
        return chosen
    sources = (read_config(config_path()), *map(read_beside, data_dirs(environ)))
    kept = [found for found in sources if found is not None]
    if chosen is None and not kept:
        raise UsageError(
            "no service known: log in with `kernelcup login`, set KERNELCUP_URL and KERNELCUP_TOKEN, "
            "or start one here with `kernelcup up`"
        )
    chosen = chosen or kept[0]
    tokens = (found.token for found in kept if found.url == chosen.url and found.token is not None)
    return Access(chosen.url, given_token or next(tokens, None), chosen.origin)


def data_dirs(environ: Mapping[str, str]) -> tuple[Path, ...]:
    """Where a service that runs beside us may keep its data."""
    if given := environ.get("KERNELCUP_DATA_DIR", ""):
        return (Path(given).expanduser(),)
    base = environ.get("XDG_DATA_HOME", "")
    return Path(".kernelcup"), (Path(base) if base else Path.home() / ".local" / "share") / "kernelcup"


def read_config(path: Path) -> Access | None:
    """What `kernelcup login` kept, or None."""
    try:
        kept = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read ({error}): mend it, or run `kernelcup login` again") from None
    url, token = kept.get("url"), kept.get("token")
    if not isinstance(url, str) or not isinstance(token, str | None):
        raise UsageError(f"{path} needs a url and a token, both text: run `kernelcup login` again")
    return Access(_url(url, str(path)), _token(token, str(path)) if token else None, str(path))


def read_beside(folder: Path) -> Access | None:
    """The service whose data folder is `folder`, or None.

    The token counts only if it is the user's own file and nobody else can read it, so that a folder that came
    with a download decides nothing.
    """
    try:
        url = (folder / "url").read_text(encoding="utf-8")
        token = _private_text(folder / "token")
    except (OSError, ValueError):
        return None
    if token is None:
        return None
    return Access(_url(url, str(folder / "url")), _token(token, str(folder / "token")), str(folder))


def write_config(path: Path, access: Access) -> None:
    """Keep `access` at `path`, readable by the user alone at every moment."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lines = [f"url = {json.dumps(access.url)}"]
    if access.token is not None:
        lines.append(f"token = {json.dumps(access.token)}")
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".config-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _private_text(path: Path) -> str | None:
    with path.open(encoding="utf-8") as file:
        state = os.fstat(file.fileno())
        if hasattr(os, "getuid") and (state.st_uid != os.getuid() or stat.S_IMODE(state.st_mode) & 0o077):
            return None
        return file.read(4096)


def _url(text: str, origin: str) -> str:
    try:
        return api.base_url(text)
    except ValueError as error:
        raise UsageError(f"{origin}: {error}") from None


def _token(text: str, origin: str) -> str:
    try:
        return api.checked_token(text)
    except ValueError as error:
        raise UsageError(f"{origin}: {error}") from None
