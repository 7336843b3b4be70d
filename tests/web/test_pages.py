"""Every page, for everybody: it renders, its links resolve, it runs no script that is not ours."""

from __future__ import annotations

import gzip
from collections import deque
from urllib.parse import urljoin, urlsplit

import pytest

from tests.web.browser import Browser, parse
from tests.web.seed import HOSTILE, SECRET_NUMBER, Seeded
from web.static_files import ROOT

SITE_PAGES = (
    "/", "/queue", "/login", "/problems/basics/vector_mean", "/boards/vector_mean-cpu", "/boards/vector_mean-cuda",
    "/boards/vector_mean-old",
)  # fmt: skip
RANKED = ("honest", "tied", "slower", "hostile", "older")


@pytest.mark.parametrize("path", SITE_PAGES)
def test_a_page_renders_for_everybody_with_one_heading(path: str, anonymous: Browser, ada: Browser) -> None:
    for browser in (anonymous, ada):
        page = browser.page(path)
        assert len(page.all("h1")) == 1
        assert page.all("html")[0]["lang"] == "en"


def test_every_submission_of_ones_own_renders_whatever_became_of_it(ada: Browser, seeded: Seeded) -> None:
    others = {"tied", "slower", "hostile"}
    for name, number in seeded.submissions.items():
        if name not in others:
            assert f"Submission {number}" in ada.page(f"/submissions/{number}").text


def test_strangers_see_ranked_submissions_and_no_others(anonymous: Browser, grace: Browser, seeded: Seeded) -> None:
    for browser in (anonymous, grace):
        for name, number in seeded.submissions.items():
            shown = name in RANKED
            assert browser.get(f"/submissions/{number}").status_code == (200 if shown else 404), name
            assert browser.get(f"/submissions/{number}/live").status_code == (200 if shown else 404), name


def test_only_the_author_sees_the_source(ada: Browser, grace: Browser, anonymous: Browser, seeded: Seeded) -> None:
    path = f"/submissions/{seeded.submissions['honest']}"
    marker = "so that cancellation does not eat the digits"
    assert marker in ada.page(path).text
    for browser in (grace, anonymous):
        assert marker not in browser.get(path).text


def test_hidden_values_are_shown_to_nobody(ada: Browser, anonymous: Browser, seeded: Seeded) -> None:
    for browser in (ada, anonymous):
        paths = [*SITE_PAGES, *(f"/submissions/{number}" for number in seeded.submissions.values())]
        for path in paths:
            assert SECRET_NUMBER not in browser.get(path).text, path
            assert SECRET_NUMBER not in browser.get(f"{path}/live").text, path
    wrong = ada.page(f"/submissions/{seeded.submissions['wrong_hidden']}").text
    assert "family: spike" in wrong
    assert "in a hidden case" in wrong


def test_author_text_is_never_markup(ada: Browser, anonymous: Browser, seeded: Seeded) -> None:
    paths = [*SITE_PAGES, "/submissions", *(f"/submissions/{n}" for n in seeded.submissions.values())]
    for path in paths:
        for browser in (ada, anonymous):
            html = browser.get(path).text
            assert HOSTILE not in html, path
            assert "<img" not in html, path
            assert "javascript:" not in "".join(link.get("href", "") for link in parse(html).all("a")), path


def test_text_that_would_disguise_itself_is_spelt_out(ada: Browser, seeded: Seeded) -> None:
    html = ada.get(f"/submissions/{seeded.submissions['hostile']}").text
    assert "\u202e" not in html
    assert "⟨U+202E⟩" in html
    printed = ada.get(f"/submissions/{seeded.submissions['error']}").text
    assert "\x1b" not in printed
    assert "hello" in printed


def test_pages_hold_nothing_inline_and_say_so(ada: Browser, seeded: Seeded) -> None:
    paths = [*SITE_PAGES, "/submissions", "/boards/vector_mean-cpu/submit", "/no/such/page"]
    paths += [f"/submissions/{number}" for number in seeded.submissions.values()]
    for path in paths:
        answer = ada.get(path)
        page = parse(answer.text)
        assert page.scripts == [], path
        for tag, attributes in page.tags:
            assert tag != "style", path
            assert "style" not in attributes, (path, tag)
            assert not [name for name in attributes if name.startswith("on")], (path, tag)
        policy = answer.headers["content-security-policy"]
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in policy


def test_every_link_leads_somewhere(ada: Browser) -> None:
    waiting, seen = deque(["/"]), {"/"}
    while waiting:
        path = waiting.popleft()
        answer = ada.get(path)
        assert answer.status_code in (200, 303), (path, answer.status_code)
        if not answer.headers.get("content-type", "").startswith("text/html") or path == "/docs":
            continue
        page = parse(answer.text)
        links = [item.get("href", "") for item in [*page.all("a"), *page.all("link")]]
        links += [item["src"] for item in page.all("script")]
        identifiers = {attributes["id"] for _, attributes in page.tags if "id" in attributes}
        for link in links:
            parts = urlsplit(urljoin(f"http://testserver{path}", link))
            if link.startswith("#"):
                assert link[1:] in identifiers, (path, link)
            elif parts.netloc == "testserver":
                target = parts.path + (f"?{parts.query}" if parts.query else "")
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
    assert {"/queue", "/submissions", "/boards/vector_mean-cpu", "/problems/basics/vector_mean", "/docs"} <= seen


def test_identifiers_and_labels_are_in_order(ada: Browser, seeded: Seeded) -> None:
    for path in [*SITE_PAGES, "/boards/vector_mean-cpu/submit", f"/submissions/{seeded.submissions['rejected']}"]:
        page = ada.page(path)
        identifiers = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
        assert len(identifiers) == len(set(identifiers)), path
        labelled = {label.get("for") for label in page.all("label")}
        for field in [*page.all("textarea"), *page.all("input")]:
            if field.get("type") not in ("hidden", "radio"):
                assert field["id"] in labelled, (path, field)
        for _, attributes in page.tags:
            for name in ("aria-labelledby", "aria-describedby"):
                assert set(attributes.get(name, "").split()) <= set(identifiers), (path, attributes)
        assert all("scope" in cell for cell in page.all("th") if "problems" not in path), path
        assert len(page.all("caption")) >= len(page.all("table")) - ("problems" in path), path


def test_scripts_are_light() -> None:
    weight = sum(len(gzip.compress(path.read_bytes())) for path in ROOT.rglob("*.js"))
    assert weight <= 60 * 1024


def test_static_files_are_kept_by_content(anonymous: Browser) -> None:
    link = next(item["href"] for item in anonymous.page("/").all("link") if item["rel"] == "stylesheet")
    answer = anonymous.get(link)
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert anonymous.get("/static/../routes.py").status_code == 404
    assert anonymous.get("/static/%2e%2e/routes.py").status_code == 404


def test_errors_are_pages_for_people_and_problem_details_for_programs(anonymous: Browser) -> None:
    for path in ("/boards/none", "/no/such/page", "/submissions/999999", "/problems/basics/none"):
        page = anonymous.page(path, status=404)
        assert len(page.all("h1")) == 1
        assert "404" in page.text
    assert "422" in anonymous.page("/submissions/word", status=422).text
    answer = anonymous.get("/api/v1/boards/none")
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("application/problem+json")
    assert anonymous.get("/api/nothing").headers["content-type"].startswith("application/problem+json")


def test_a_fault_of_ours_is_said_to_be_ours(anonymous: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("server.views.list_boards", broken)
    page = anonymous.page("/", status=500)
    assert "our fault" in page.text
    assert "secret detail" not in page.text
