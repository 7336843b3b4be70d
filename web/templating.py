"""Jinja2 as the pages use it: everything escaped, missing names are errors, one way to render."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse, RedirectResponse

from web import bars, csrf, numbers, wording
from web.author_text import visible
from web.headers import PAGE_HEADERS
from web.highlight import highlight, numbered
from web.markdown import render_markdown
from web.static_files import static_url
from web.visitor import Visitor

_ENVIRONMENT = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.globals.update(static_url=static_url, numbers=numbers, bars=bars, wording=wording)
_ENVIRONMENT.filters.update(
    visible=visible,
    highlight=highlight,
    numbered=numbered,
    markdown=render_markdown,
    duration=numbers.duration,
    ago=numbers.ago,
    moment=numbers.moment_text,
    percent=numbers.percent,
)


def html(template: str, **context: Any) -> str:
    """`template` rendered with `context`."""
    return _ENVIRONMENT.get_template(template).render(**context)


def page(visitor: Visitor, template: str, *, status: int = 200, **context: Any) -> HTMLResponse:
    """A page for `visitor`, with its headers, and the cookie that guards its forms if the visitor lacks one."""
    text = html(
        template,
        user=visitor.user,
        csrf_token=visitor.csrf_token,
        here=visitor.here,
        path=visitor.request.url.path,
        **context,
    )
    response = HTMLResponse(text, status_code=status, headers=PAGE_HEADERS)
    if not visitor.has_cookie:
        response.set_cookie(
            csrf.COOKIE, visitor.csrf_cookie, httponly=True, samesite="lax", secure=is_secure(visitor), path="/"
        )
    return response


def is_secure(visitor: Visitor) -> bool:
    """Whether cookies may demand HTTPS: where the service is published by it."""
    return visitor.settings.public_url.startswith("https://")


def see_other(path: str) -> RedirectResponse:
    """After a form was accepted: look there, with GET."""
    return RedirectResponse(path, status_code=303)
