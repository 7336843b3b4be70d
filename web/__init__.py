"""The web site: server-rendered pages over `server.views`, usable without JavaScript.

`install(app)` puts it on the application: pages, static files and HTML error pages.
"""

from fastapi import FastAPI

__all__ = ["install"]


def install(app: FastAPI) -> None:
    """Add the pages, `/static` and the error pages to `app`. Call it after the API's own handlers are installed."""
    from web import errors, routes, static_files

    app.include_router(routes.router)
    static_files.mount(app)
    errors.register(app)
