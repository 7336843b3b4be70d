"""Forms that change something come from our own pages: a signed token, a SameSite cookie and the Origin header.

The token binds a random value, which the visitor also holds as a cookie, to who the visitor is; another site can read
neither, and a token made for one account is of no use to another.
"""

from __future__ import annotations

import hmac
import secrets
from urllib.parse import urlsplit

from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.requests import Request

COOKIE = "kernelcup_csrf"
FIELD = "csrf_token"
LIFETIME_SECONDS = 12 * 3600


def new_secret() -> str:
    """A random value for the visitor's cookie."""
    return secrets.token_urlsafe(24)


def _serializer(key: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(key, salt="kernelcup.web.csrf")


def token(key: str, cookie: str, user_id: int | None) -> str:
    """The token of a form shown to `user_id`, who holds `cookie`."""
    return str(_serializer(key).dumps([cookie, user_id]))


def is_valid(key: str, sent: str, cookie: str | None, user_id: int | None) -> bool:
    """Whether `sent` is a fresh token made for this cookie and this user."""
    if not cookie or not sent:
        return False
    try:
        value = _serializer(key).loads(sent, max_age=LIFETIME_SECONDS)
    except BadSignature:
        return False
    return (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[0], str)
        and hmac.compare_digest(value[0], cookie)
        and value[1] == user_id
    )


def is_same_origin(request: Request, public_url: str) -> bool:
    """Whether the browser says that the request comes from one of our pages.

    Hosts are compared, not schemes, because a proxy may end TLS before us. Without `Origin`, `Sec-Fetch-Site` and
    `Referer`, which every current browser sends with a form, the request is refused.
    """
    ours = {request.headers.get("host", ""), urlsplit(public_url).netloc}
    origin = request.headers.get("origin")
    if origin is not None:
        return urlsplit(origin).netloc in ours - {""}
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    return urlsplit(request.headers.get("referer", "")).netloc in ours - {""}
