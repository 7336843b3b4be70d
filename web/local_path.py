"""Where to go after a login: only to a page of ours."""

from __future__ import annotations

from urllib.parse import quote, urlsplit


def local_path(target: str, otherwise: str = "/") -> str:
    r"""`target` if it is a path on this site, else `otherwise`.

    Browsers treat ``//host`` and ``/\host`` as another site and drop tabs and line ends, so any of these is refused.
    """
    if not target.startswith("/") or target.startswith("//") or "\\" in target:
        return otherwise
    if any(ord(character) < 33 or ord(character) == 127 for character in target):
        return otherwise
    parts = urlsplit(target)
    return otherwise if parts.scheme or parts.netloc else target


def login_path(back_to: str) -> str:
    """The login page that comes back to `back_to`."""
    return f"/login?next={quote(back_to, safe='/')}"
