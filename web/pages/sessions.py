"""Logging in with a token, and out."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form
from starlette.responses import Response

from server import auth
from web import csrf
from web.local_path import local_path
from web.templating import is_secure, page, see_other
from web.visitor import VisitorDep

router = APIRouter()
_STALE = "The page had been open too long, or did not come from here. Send it again."


@router.get("/login")
def login_form(visitor: VisitorDep, next: str = "/") -> Response:
    """The form that takes a token."""
    return _form(visitor, local_path(next))


@router.post("/login")
def login(
    visitor: VisitorDep,
    token: Annotated[str, Form()] = "",
    next: Annotated[str, Form()] = "/",
    csrf_token: Annotated[str, Form(alias=csrf.FIELD)] = "",
) -> Response:
    """Start a session for the owner of `token`."""
    target = local_path(next)
    if not visitor.may_post(csrf_token):
        return _form(visitor, target, error=_STALE, status=403)
    text = token.strip()
    if not text:
        return _form(visitor, target, error="Paste your token; it begins with kc_.", status=422)
    user = auth.user_for_token(visitor.session, text)
    if user is None:
        return _form(visitor, target, error="No account has this token. Check that it was copied whole.", status=403)
    response = see_other(target)
    response.set_cookie(
        auth.COOKIE_NAME,
        auth.session_cookie(visitor.settings, user),
        httponly=True,
        samesite="lax",
        secure=is_secure(visitor),
        path="/",
        max_age=visitor.settings.session_days * 86400,
    )
    return response


def _form(visitor: VisitorDep, target: str, *, error: str = "", status: int = 200) -> Response:
    return page(visitor, "login.html", next=target, error=error, status=status)


@router.post("/logout")
def logout(
    visitor: VisitorDep,
    csrf_token: Annotated[str, Form(alias=csrf.FIELD)] = "",
) -> Response:
    """End the session."""
    if visitor.user is not None and not visitor.may_post(csrf_token):
        return page(visitor, "refused_form.html", status=403)
    response = see_other("/")
    response.delete_cookie(auth.COOKIE_NAME, path="/")
    return response
