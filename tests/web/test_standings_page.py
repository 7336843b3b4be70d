"""A board's table shows the ranking, its uncertainty, and the visitor's own place."""

from __future__ import annotations

from tests.web.browser import Browser
from tests.web.seed import Seeded


def test_rows_stand_in_order_with_ties_as_ranges(anonymous: Browser) -> None:
    text = anonymous.page("/boards/vector_mean-cpu").text
    places = [text.index(name) for name in ("ada", "grace", "edsger", "eve<img", "PyTorch reference")]
    assert places == sorted(places)
    assert text.count("1–2") == 2


def test_an_author_has_one_row_and_the_rejected_have_none(anonymous: Browser, seeded: Seeded) -> None:
    links = {item["href"] for item in anonymous.page("/boards/vector_mean-cpu").all("a")}
    assert f"/submissions/{seeded.submissions['honest']}" in links
    for name in ("older", "rejected", "review", "wrong"):
        assert f"/submissions/{seeded.submissions[name]}" not in links


def test_figures_carry_the_digits_that_their_interval_allows(anonymous: Browser) -> None:
    text = anonymous.page("/boards/vector_mean-cpu").text
    assert "3.412" in text
    assert "3.408–3.416" in text
    assert "1.84–1.90" in text
    assert "0.000" not in text
    assert "noisy" in text


def test_the_visitor_finds_the_own_row(ada: Browser, anonymous: Browser) -> None:
    assert "You: rank 1–2 of 4" in ada.page("/boards/vector_mean-cpu").text
    assert "You: rank" not in anonymous.page("/boards/vector_mean-cpu").text


def test_an_empty_board_says_what_to_do(anonymous: Browser) -> None:
    page = anonymous.page("/boards/vector_mean-cuda")
    assert "Nobody is ranked yet" in page.text
    assert page.all("table") == []


def test_a_closed_board_offers_no_form(anonymous: Browser) -> None:
    page = anonymous.page("/boards/vector_mean-old")
    assert "closed 3 days ago" in page.text
    assert not [item for item in page.all("a") if item["href"].endswith("/submit")]


def test_the_problem_answers_the_four_questions_first(anonymous: Browser) -> None:
    text = anonymous.page("/problems/basics/vector_mean").text
    first = text[: text.index("Statement")]
    assert "def custom_kernel(data: torch.Tensor) -> torch.Tensor" in first
    assert "How it is scored" in first
    assert "3.412×" in first
    assert "62" in first[first.index("Distance to the floor") :]


def test_shapes_have_their_work_and_traffic(anonymous: Browser) -> None:
    text = anonymous.page("/problems/basics/vector_mean").text
    assert "1.05\u202fMflop" in text
    assert "4.19\u202fMB" in text


def test_the_home_page_shows_each_board_with_its_record(anonymous: Browser) -> None:
    page = anonymous.page("/")
    assert "3.412×" in page.text
    assert "± 0.004" in page.text
    assert "closes in 11 days" in page.text
    assert "none yet" in page.text
