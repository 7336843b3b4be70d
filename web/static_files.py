"""Static files: named by their content, so that browsers may keep them for ever."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from fastapi import FastAPI
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

ROOT = Path(__file__).parent / "static"


@cache
def digest(name: str) -> str:
    """The first 12 hexadecimal digits of the SHA-256 of the static file `name`."""
    return hashlib.sha256((ROOT / name).read_bytes()).hexdigest()[:12]


def static_url(name: str) -> str:
    """The address of the static file `name`, which changes with its content."""
    return f"/static/{name}?v={digest(name)}"


class Files(StaticFiles):
    """Static files with caching by content and no sniffing of types."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file; kept for a year when it was asked for by digest, else revalidated."""
        response = await super().get_response(path, scope)
        by_digest = b"v=" in scope.get("query_string", b"")
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if by_digest else "no-cache"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response


def mount(app: FastAPI) -> None:
    """Serve `web/static` at `/static`."""
    app.mount("/static", Files(directory=ROOT), name="static")
