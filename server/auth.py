"""Who is asking: bearer tokens and the web session's signed cookie."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import timedelta

from itsdangerous import BadSignature, URLSafeTimedSerializer
from sqlalchemy import select
from sqlalchemy.orm import Session

from server.models import Token, User, utc_now
from server.settings import Settings

TOKEN_PREFIX = "kc_"  # noqa: S105
COOKIE_NAME = "kernelcup_session"
USED_RESOLUTION = timedelta(minutes=1)


def digest_of(secret: str) -> str:
    """SHA-256 of a token, which is all that is kept of it. Tokens have 256 random bits, so no salt is needed."""
    return hashlib.sha256(secret.encode()).hexdigest()


def same_secret(left: str, right: str) -> bool:
    """Whether two secrets are equal, in time that does not depend on where they differ."""
    return hmac.compare_digest(left.encode(), right.encode())


def make_token(session: Session, user: User, label: str = "") -> str:
    """A new bearer token for `user`, shown this once. Flushes; the caller commits."""
    text = TOKEN_PREFIX + secrets.token_urlsafe(32)
    session.add(Token(user_id=user.id, digest=digest_of(text), prefix=text[:9], label=label[:64]))
    session.flush()
    return text


def user_for_token(session: Session, text: str) -> User | None:
    """Whose token `text` is; None if nobody's, or revoked."""
    token = token_for(session, text)
    return token.user if token else None


def token_for(session: Session, text: str) -> Token | None:
    """The live token that `text` is."""
    if not text.startswith(TOKEN_PREFIX) or len(text) > 200:
        return None
    return session.scalar(select(Token).where(Token.digest == digest_of(text), Token.revoked_at.is_(None)))


def is_stale(token: Token) -> bool:
    """Whether `token.last_used_at` is old enough to be worth a write."""
    return token.last_used_at is None or utc_now() - token.last_used_at > USED_RESOLUTION


def _serializer(settings: Settings) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(settings.secret_key, salt="kernelcup.session")


def session_cookie(settings: Settings, user: User) -> str:
    """The value of the cookie that keeps `user` signed in."""
    return str(_serializer(settings).dumps(user.id))


def user_for_cookie(session: Session, settings: Settings, value: str) -> User | None:
    """Who the cookie `value` belongs to; None if it is forged or too old."""
    try:
        user_id = _serializer(settings).loads(value, max_age=settings.session_days * 86400)
    except BadSignature:
        return None
    return session.get(User, user_id) if isinstance(user_id, int) else None
