from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from clients.sdk import AnswerError, ApiError, KernelCup, Unreachable
from tests.clients.contract_service import (
    TOKEN,
    ContractService,
    Drop,
    Garbage,
    Refuse,
    Slow,
    board,
    case,
    run,
    submission,
    timing,
)

pytestmark = pytest.mark.usefixtures("short_backoff")


def cup(service: ContractService, **options: Any) -> KernelCup:
    return KernelCup(service.url, TOKEN, **options)


def test_each_method_asks_its_address_and_decodes_the_answer(service: ContractService) -> None:
    service.answers["/boards/vector_mean-cpu/rows"] = {"board": board(), "rows": []}
    with cup(service) as client:
        assert client.me().name == "ada"
        assert client.boards()[0].name == "vector_mean-cpu"
        assert client.board("vector_mean-cpu").device == "cpu"
        assert client.rows("vector_mean-cpu").board.entries == 2
        assert client.problems()[0].starters == {"pytorch.py": "import torch\n"}
        assert client.problem("basics/vector_mean").tests[0].params == {"n": 5, "family": "normal"}
        assert client.submissions(limit=2, before=9)[1].outcome == "wrong"
        assert client.submission(7).created_at is not None
        assert client.cancel(7).outcome == "cancelled"
        assert client.report(7) == {"verdict": "passed"}
        assert client.queue()[0].queued == 3
    assert service.to("/submissions")[0].query == "limit=2&before=9"
    assert {request.headers["authorization"] for request in service.requests} == {f"Bearer {TOKEN}"}
    assert service.requests[0].headers["user-agent"].startswith("kernelcup/")


def test_results_of_a_newer_service_are_understood(service: ContractService) -> None:
    newer = submission(
        outcome="on_hold", brand_new={"a": 1}, runs=[run(new=1, cases=[case(new=2, timing=timing(new=3))])]
    )
    service.answers["/submissions/7"] = newer
    found = cup(service).submission(7)
    assert found.outcome == "on_hold"
    assert found.run is not None
    assert found.run.cases[0].timing is not None
    assert found.run.cases[0].timing.floor_share == 0.5


def test_fields_that_an_older_service_lacks_take_their_defaults(service: ContractService) -> None:
    service.answers["/submissions/7"] = {"id": 7, "board": "b", "mode": "test", "outcome": "passed", "done": True}
    found = cup(service).submission(7)
    assert found.succeeded
    assert found.run is None


@pytest.mark.parametrize("mode", ["path", "text", "bytes"])
def test_submit_sends_the_source_as_it_is(service: ContractService, tmp_path: Path, mode: str) -> None:
    text = "# ü\r\nx = 1"
    path = tmp_path / "my kernel.py"
    path.write_bytes(text.encode())
    source: Any = {"path": path, "text": text, "bytes": text.encode()}[mode]
    made = cup(service).submit(source, board="vector_mean-cpu", mode="test")
    assert (made.id, made.mode, made.outcome) == (7, "test", "queued")
    assert next(iter(service.made.values()))["_source"] == text
    named = b'filename="my kernel.py"' if mode == "path" else b'filename="submission.py"'
    assert named in service.to("/submissions")[0].body


def test_text_that_is_plainly_a_path_is_refused_with_advice(service: ContractService) -> None:
    with pytest.raises(ValueError, match=r"pathlib\.Path"):
        cup(service).submit("kernels/mine.py", board="vector_mean-cpu")
    assert service.requests == []


def test_a_submission_whose_answer_was_lost_is_not_submitted_twice(service: ContractService) -> None:
    service.fail("/submissions", Drop(after_work=True), Refuse(502), Drop())
    cup(service).submit("x = 1", board="vector_mean-cpu")
    keys = {request.headers["idempotency-key"] for request in service.to("/submissions")}
    assert len(service.to("/submissions")) == 4
    assert len(keys) == 1
    assert len(service.made) == 1


def test_two_calls_are_two_submissions_unless_the_key_says_otherwise(service: ContractService) -> None:
    client = cup(service)
    client.submit("x = 1", board="vector_mean-cpu")
    client.submit("x = 1", board="vector_mean-cpu")
    assert len(service.made) == 2
    client.submit("x = 1", board="vector_mean-cpu", idempotency_key="mine")
    client.submit("x = 1", board="vector_mean-cpu", idempotency_key="mine")
    assert len(service.made) == 3


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_passing_troubles_are_retried(service: ContractService, status: int) -> None:
    service.fail("/boards", Refuse(status), Refuse(status))
    assert len(cup(service).boards()) == 1
    assert len(service.requests) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422, 500, 501])
def test_other_refusals_are_not_retried(service: ContractService, status: int) -> None:
    service.fail("/boards", Refuse(status))
    with pytest.raises(ApiError) as caught:
        cup(service).boards()
    assert (caught.value.status, caught.value.code) == (status, "some_code")
    assert (caught.value.title, caught.value.detail) == ("Some title", "Some detail.")
    assert caught.value.is_ours == (status >= 500)
    assert len(service.requests) == 1


def test_retry_after_is_honoured(service: ContractService) -> None:
    service.fail("/boards", Refuse(429, retry_after="0.3"))
    before = time.monotonic()
    cup(service).boards()
    assert time.monotonic() - before >= 0.3


def test_a_long_retry_after_is_the_callers_to_wait_for(service: ContractService) -> None:
    service.fail("/boards", Refuse(429, retry_after="3000"))
    with pytest.raises(ApiError) as caught:
        cup(service).boards()
    assert caught.value.retry_after == 3000
    assert len(service.requests) == 1


def test_retries_end(service: ContractService) -> None:
    service.fail("/boards", *[Refuse(503)] * 9)
    with pytest.raises(ApiError) as caught:
        cup(service, retries=2).boards()
    assert caught.value.status == 503
    assert len(service.requests) == 3


def test_a_service_that_never_answers_is_unreachable(service: ContractService) -> None:
    service.fail("/boards", *[Drop()] * 9)
    with pytest.raises(Unreachable, match=service.url):
        cup(service, retries=1).boards()
    assert len(service.requests) == 2


def test_nothing_listening_is_unreachable(service: ContractService) -> None:
    with ContractService() as gone:
        url = gone.url
    with pytest.raises(Unreachable):
        KernelCup(url, retries=1).boards()


def test_a_slow_service_is_asked_again(service: ContractService) -> None:
    service.fail("/boards", Slow(3.0))
    assert len(cup(service, timeout=0.5).boards()) == 1


@pytest.mark.parametrize(
    "body",
    [
        b"<html>captive portal</html>", b"", b"null", b'{"name": 1}', b"[1]", b'[{"name": "b"}]', b"\xff\xfe",
        b"[" * 100_000,
    ],
)  # fmt: skip
def test_an_answer_that_is_no_answer_says_to_check_the_url(service: ContractService, body: bytes) -> None:
    service.fail("/boards", Garbage(body))
    with pytest.raises(AnswerError, match="check the URL"):
        cup(service).boards()


@pytest.mark.parametrize("body", [b"<html>", b"", b"[]", b'{"detail": [{"msg": "x"}], "title": 3}'])
def test_errors_without_problem_details_are_api_errors_too(service: ContractService, body: bytes) -> None:
    service.fail("/boards", Refuse(404, body=body))
    with pytest.raises(ApiError) as caught:
        cup(service).boards()
    assert caught.value.status == 404
    assert caught.value.title


def test_redirects_are_named_not_followed(service: ContractService) -> None:
    service.fail("/boards", Refuse(307, body=b""))
    with pytest.raises(ApiError, match="elsewhere"):
        cup(service).boards()
    assert len(service.requests) == 1


@pytest.mark.parametrize(
    "url", ["", "cup.example.org", "ftp://cup.example.org", "http://", "http://a:b@c", "http://c/?q=1", "http://[::"]
)
def test_what_is_no_service_url_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="URL"):
        KernelCup(url)


@pytest.mark.parametrize("suffix", ["", "/", "/api/v1", "/api/v1/"])
def test_urls_are_taken_as_people_paste_them(service: ContractService, suffix: str) -> None:
    with KernelCup(service.url + suffix, TOKEN) as client:
        assert client.url == service.url
        assert client.me().name == "ada"


@pytest.mark.parametrize("token", ["", "two words", "a\nb: c", "ü", "a\x00b"])
def test_what_is_no_token_never_reaches_a_header(token: str) -> None:
    with pytest.raises(ValueError, match="token"):
        KernelCup("http://127.0.0.1:1", token)
