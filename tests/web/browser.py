"""A browser without JavaScript: follows links, fills in forms, sends what a browser would send."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

from httpx import Response
from starlette.testclient import TestClient

ORIGIN = "http://testserver"


@dataclass
class Page(HTMLParser):
    """What a test wants to know of a page."""

    text: str = ""
    tags: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)
    _inside: str = ""

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._inside in ("script", "style") and data.strip():
            self.scripts.append(data)

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]


def parse(html: str) -> Page:
    page = Page()
    page.feed(html)
    return page


class Browser:
    """Cookies, the Origin header and form tokens, as a browser keeps them."""

    def __init__(self, client: TestClient) -> None:
        self.client = client

    def get(self, path: str) -> Response:
        return self.client.get(path, follow_redirects=False)

    def page(self, path: str, status: int = 200) -> Page:
        answer = self.get(path)
        assert answer.status_code == status, (path, answer.status_code, answer.text[:500])
        assert answer.headers["content-type"].startswith("text/html")
        return parse(answer.text)

    def hidden_fields(self, path: str, action: str) -> dict[str, str]:
        """The hidden fields of the form on `path` that is sent to `action`."""
        fields: dict[str, str] = {}
        inside = False
        for tag, attributes in self.page(path).tags:
            if tag == "form":
                inside = attributes["action"] == action
            elif inside and tag == "input" and attributes.get("type") == "hidden":
                fields[attributes["name"]] = attributes["value"]
        return fields

    def send_form(
        self,
        path: str,
        action: str,
        *,
        headers: dict[str, str] | None = None,
        file: tuple[str, bytes] | None = None,
        **values: str,
    ) -> Response:
        """Fill in the form on `path` with `values` and send it to `action`."""
        data = {**self.hidden_fields(path, action), **values}
        return self.post(action, data, headers=headers, file=file)

    def post(
        self,
        action: str,
        data: dict[str, str],
        *,
        headers: dict[str, str] | None = None,
        file: tuple[str, bytes] | None = None,
    ) -> Response:
        return self.client.post(
            action,
            data=data,
            files={"file": file} if file else None,
            headers={"Origin": ORIGIN} if headers is None else headers,
            follow_redirects=False,
        )
