"""Statements: Markdown to HTML that holds no script, no style and no foreign image."""

from __future__ import annotations

from functools import lru_cache

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

from web.highlight import highlight

_TAGS = {
    "h2", "h3", "h4", "h5", "h6", "p", "ul", "ol", "li", "strong", "em", "s", "code", "pre", "span", "blockquote",
    "table", "thead", "tbody", "tr", "th", "td", "a", "hr", "br", "sup", "sub",
}  # fmt: skip
_ATTRIBUTES = {"a": {"href", "title"}, "span": {"class"}, "ol": {"start"}, "pre": {"class", "tabindex"}}


def _fence(source: str, language: str, _attributes: str) -> str:
    return str(highlight(source, f"block.{language or 'txt'}"))


_PARSER = MarkdownIt("commonmark", {"html": False, "highlight": _fence}).enable(["table", "strikethrough"])


@lru_cache(maxsize=256)
def render_markdown(text: str) -> Markup:
    """`text` as safe HTML. Headings move down one level, because the page has its own first one."""
    tokens = _PARSER.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + 1)}"
    html = _PARSER.renderer.render(tokens, _PARSER.options, {})
    return Markup(nh3.clean(html, tags=_TAGS, attributes=_ATTRIBUTES, url_schemes={"http", "https", "mailto"}))
