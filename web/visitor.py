"""Who asks for a page, and with what: the one dependency of every page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends
from sqlalchemy.orm import Session
from starlette.requests import Request

from server.api.deps import MaybeUser, SessionDep, SettingsDep
from server.models import User
from server.settings import Settings
from web import csrf


@dataclass(frozen=True)
class Visitor:
    """A request for a page, its database session, and the user if there is one."""

    request: Request
    session: Session
    settings: Settings
    user: User | None
    csrf_cookie: str
    has_cookie: bool = field(default=True)

    @property
    def csrf_token(self) -> str:
        """The token that forms on this page carry."""
        return csrf.token(signing_key(self.settings), self.csrf_cookie, self.user.id if self.user else None)

    def may_post(self, sent: str) -> bool:
        """Whether a form with the token `sent` came from one of our pages, shown to this visitor."""
        user_id = self.user.id if self.user else None
        cookie = self.csrf_cookie if self.has_cookie else None
        return self.is_same_origin and csrf.is_valid(signing_key(self.settings), sent, cookie, user_id)

    @property
    def is_same_origin(self) -> bool:
        """Whether the browser says that one of our pages sent the request."""
        return csrf.is_same_origin(self.request, self.settings.public_url)

    @property
    def here(self) -> str:
        """This page's path and query, for coming back after a login."""
        url = self.request.url
        return url.path + (f"?{url.query}" if url.query else "")


def signing_key(settings: Settings) -> str:
    """The key that signs forms."""
    return settings.secret_key


def visitor(request: Request, session: SessionDep, settings: SettingsDep, user: MaybeUser) -> Visitor:
    """The visitor of `request`; a new one gets a value for the cookie that guards forms."""
    cookie = request.cookies.get(csrf.COOKIE)
    return Visitor(request, session, settings, user, cookie or csrf.new_secret(), cookie is not None)


VisitorDep = Annotated[Visitor, Depends(visitor)]
