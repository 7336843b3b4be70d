"""What endpoints depend on, as named aliases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, cast
from urllib.parse import urlsplit

from fastapi import Depends, Path, Request
from sqlalchemy import update
from sqlalchemy.orm import Session, sessionmaker

from server.auth import COOKIE_NAME, digest_of, is_stale, same_secret, token_for, user_for_cookie
from server.db import session_scope
from server.errors import Refusal, not_found
from server.models import Attempt, Token, User, utc_now
from server.settings import Settings

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
SAME_SITE = ("same-origin", "none")


def app_settings(request: Request) -> Settings:
    """The application's settings."""
    return cast(Settings, request.app.state.settings)


SettingsDep = Annotated[Settings, Depends(app_settings)]


def app_session(request: Request) -> Iterator[Session]:
    """A session for the request; one that may write only where the method may change something."""
    reads_only = request.method in SAFE_METHODS
    factory = request.app.state.reading if reads_only else request.app.state.sessions
    with factory() as session:
        yield session


# The session ends with the endpoint, before the answer is sent: a slow client must not hold a transaction open.
SessionDep = Annotated[Session, Depends(app_session, scope="function")]


def bearer_of(request: Request) -> str | None:
    """The bearer token of the Authorization header, None if there is no such header."""
    header = request.headers.get("Authorization")
    if header is None:
        return None
    scheme, _, credentials = header.partition(" ")
    if scheme.lower() != "bearer" or not credentials.strip():
        raise unauthorized("The Authorization header must be `Bearer kc_...`.")
    return credentials.strip()


def unauthorized(detail: str) -> Refusal:
    """A 401 that says which scheme to use."""
    return Refusal(401, "unauthorized", "Not signed in", detail, {"WWW-Authenticate": "Bearer"})


def maybe_user(request: Request, session: SessionDep, settings: SettingsDep) -> User | None:
    """Who is asking: by bearer token, else by session cookie. A wrong token is an error, an old cookie nobody."""
    text = bearer_of(request)
    if text is not None:
        return _user_of_token(request, session, text)
    cookie = request.cookies.get(COOKIE_NAME)
    if not cookie:
        return None
    if request.method not in SAFE_METHODS:
        _check_same_origin(request)
    return user_for_cookie(session, settings, cookie)


def _user_of_token(request: Request, session: Session, text: str) -> User:
    token = token_for(session, text)
    if token is None:
        raise unauthorized("This token is unknown or revoked: sign in on the site and make a new one.")
    if is_stale(token):
        _note_use(request, session, token)
    return token.user


def _note_use(request: Request, session: Session, token: Token) -> None:
    change = update(Token).where(Token.id == token.id).values(last_used_at=utc_now())
    if request.method not in SAFE_METHODS:
        session.execute(change)
        return
    with session_scope(cast("sessionmaker[Session]", request.app.state.sessions)) as writer:
        writer.execute(change)


def _check_same_origin(request: Request) -> None:
    """A request that changes something with a cookie must come from our own pages, not from another site's."""
    site = request.headers.get("Sec-Fetch-Site")
    origin = request.headers.get("Origin")
    foreign = (site is not None and site not in SAME_SITE) or (
        site is None and origin is not None and urlsplit(origin).netloc != request.headers.get("Host")
    )
    if foreign:
        raise Refusal(403, "cross_site", "Cross-site request", "Use the site's own pages, or a bearer token.")


MaybeUser = Annotated[User | None, Depends(maybe_user)]


def current_user(user: MaybeUser) -> User:
    """Who is asking; 401 if nobody."""
    if user is None:
        raise unauthorized("Send `Authorization: Bearer kc_...` with your token, or sign in on the site.")
    return user


CurrentUser = Annotated[User, Depends(current_user)]


def attempt_of(request: Request, session: SessionDep, attempt_id: Annotated[int, Path(ge=1, lt=2**31)]) -> int:
    """The id of the attempt whose token the caller holds."""
    text = bearer_of(request)
    if text is None:
        raise unauthorized("Send the attempt's token as bearer token.")
    attempt = session.get(Attempt, attempt_id)
    if attempt is None:
        raise not_found("attempt", attempt_id)
    if not same_secret(attempt.token_digest, digest_of(text)):
        raise Refusal(403, "wrong_token", "Wrong token", "This is not the token of this attempt.")
    return attempt_id


AttemptDep = Annotated[int, Depends(attempt_of)]


def holds_runner_key(request: Request, settings: Settings) -> bool:
    """Whether the caller's bearer token is the runner key."""
    text = bearer_of(request)
    return text is not None and same_secret(text, settings.runner_key)


def runner_key(request: Request, settings: SettingsDep) -> None:
    """Only for holders of the runner key."""
    if bearer_of(request) is None:
        raise unauthorized("Send the runner key as bearer token.")
    if not holds_runner_key(request, settings):
        raise Refusal(
            403, "wrong_runner_key", "Wrong runner key", "Set the runner's KERNELCUP_RUNNER_KEY to the server's."
        )


RunnerKeyDep = Depends(runner_key)
