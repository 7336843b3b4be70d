"""Taking a submission: what is refused, in which words, and what is kept."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from server.models import Board, Submission, utc_now
from tests.server.conftest import make_service
from tests.server.service import BOARD, SOURCE, Service


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"source": b""}, 422, "empty_source"),
        ({"source": b" \n\t"}, 422, "empty_source"),
        ({"source": b"#" * 1_000_001}, 413, "too_large"),
        ({"source": b"x = 1\n\0"}, 422, "binary_source"),
        ({"source": b"# \xff\n"}, 422, "not_utf8"),
        ({"name": "kernel.cu"}, 422, "unsupported_file_type"),
        ({"name": "kernel"}, 422, "unsupported_file_type"),
        ({"name": ".py"}, 422, "invalid_file_name"),
        ({"name": "a\u202eb.py"}, 422, "invalid_file_name"),
        ({"board": "nowhere"}, 404, "not_found"),
        ({"mode": "profile"}, 422, "mode_not_allowed"),
        ({"mode": "fastest"}, 422, "invalid_request"),
        ({"key": "k" * 101}, 422, "invalid_idempotency_key"),
    ],
)
def test_bad_submissions_are_refused_and_leave_nothing(
    service: Service, change: dict[str, str | bytes], status: int, code: str
) -> None:
    answer = service.post(service.author(), **change)  # type: ignore[arg-type]
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    with service.sessions() as session:
        assert session.scalar(select(func.count()).select_from(Submission)) == 0


def test_one_byte_and_a_million_bytes_are_taken(service: Service) -> None:
    ann = service.author()
    assert service.post(ann, source=b"x").status_code == 201
    assert service.post(ann, source=b"#" * 1_000_000).status_code == 201


def test_syntax_errors_are_the_judges_business(service: Service) -> None:
    assert service.post(service.author(), source=b"def (:").status_code == 201


def test_the_source_is_kept_byte_for_byte(both: Service) -> None:
    ann = both.author()
    source = "# naïve — ✓\r\n\tx = 1\r\n".encode()
    submission = both.submit(ann, source=source)
    assert both.get(submission, ann)["source"].encode() == source


def test_a_path_in_the_file_name_is_dropped(service: Service) -> None:
    ann = service.author()
    answer = service.post(ann, name="..\\..\\etc/kernel v2.py")
    assert answer.json()["file_name"] == "kernel v2.py"


def test_json_works_as_well(service: Service) -> None:
    ann = service.author()
    body = {"board": BOARD, "source": SOURCE.decode(), "mode": "benchmark"}
    answer = service.client.post("/api/v1/submissions", headers=ann, json=body)
    assert answer.status_code == 201
    assert answer.headers["location"] == f"/api/v1/submissions/{answer.json()['id']}"
    assert answer.json()["mode"] == "benchmark"


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/json", b"{"),
        ("application/json", b'{"board": "b", "source": "x", "surprise": 1}'),
        ("application/json", b'{"board": "b"}'),
        ("application/json", b'{"board": "b", "source": "\\ud800", "mode": "test"}'),
        ("multipart/form-data", b"no boundary"),
        ("multipart/form-data; boundary=x", b"--x\r\nbroken"),
    ],
)
def test_malformed_bodies_are_the_clients_fault(service: Service, kind: str, body: bytes) -> None:
    headers = {**service.author(), "Content-Type": kind}
    answer = service.client.post("/api/v1/submissions", headers=headers, content=body)
    assert answer.status_code in (400, 422)
    assert answer.headers["content-type"] == "application/problem+json"


def test_other_types_of_body_are_refused(service: Service) -> None:
    headers = {**service.author(), "Content-Type": "text/plain"}
    answer = service.client.post("/api/v1/submissions", headers=headers, content=b"x")
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


def test_a_body_that_does_not_say_its_size_is_counted(service: Service) -> None:
    chunks = (b"#" * 65536 for _ in range(200))
    headers = {**service.author(), "Content-Type": "application/json"}
    answer = service.client.post("/api/v1/submissions", headers=headers, content=chunks)
    assert "content-length" not in answer.request.headers
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize(("window", "code"), [({"opens_at": 1}, "board_not_open"), ({"closes_at": -1}, "board_closed")])
def test_a_board_takes_submissions_in_its_window_only(service: Service, window: dict[str, int], code: str) -> None:
    times = {name: utc_now() + timedelta(hours=hours) for name, hours in window.items()}
    with service.sessions() as session:
        session.execute(update(Board).where(Board.name == BOARD).values(**times))
        session.commit()
    answer = service.post(service.author())
    assert (answer.status_code, answer.json()["code"]) == (403, code)


def test_the_same_key_and_body_give_the_same_submission(both: Service) -> None:
    ann = both.author()
    first = both.post(ann, key="once")
    again = both.post(ann, key="once")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["id"] == again.json()["id"]
    assert both.kinds(first.json()["id"]) == ["queued"]


@pytest.mark.parametrize("change", [{"source": b"y = 2"}, {"mode": "ranked"}, {"name": "other.py"}])
def test_the_same_key_with_another_body_is_a_conflict(service: Service, change: dict[str, str]) -> None:
    ann = service.author()
    service.post(ann, key="once")
    answer = service.post(ann, key="once", **change)  # type: ignore[arg-type]
    assert (answer.status_code, answer.json()["code"]) == (409, "idempotency_conflict")


def test_keys_of_different_authors_do_not_meet(service: Service) -> None:
    first, second = service.post(service.author("ann"), key="k"), service.post(service.author("bob"), key="k")
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json()["id"] != second.json()["id"]


def test_a_key_used_at_the_same_moment_makes_one_submission(both: Service) -> None:
    ann = both.author()
    answers: list[tuple[int, int]] = []

    def send() -> None:
        answer = both.post(ann, key="race")
        answers.append((answer.status_code, answer.json().get("id")))

    threads = [threading.Thread(target=send) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(status for status, _ in answers) == [200] * 5 + [201]
    assert len({identifier for _, identifier in answers}) == 1


@pytest.fixture
def limited(database_url: str, tmp_path: Path) -> Iterator[Service]:
    yield from make_service(database_url, tmp_path, submissions_per_hour=3)


def test_the_hourly_limit_says_when_to_come_back(limited: Service) -> None:
    ann = limited.author()
    left = [limited.post(ann).headers["RateLimit-Remaining"] for _ in range(3)]
    assert left == ["2", "1", "0"]
    refused = limited.post(ann)
    assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
    assert 0 < int(refused.headers["Retry-After"]) <= 3600
    assert refused.headers["RateLimit-Limit"] == "3"
    assert limited.post(limited.author("bob")).status_code == 201
    limited.age(1, hours=1.1)
    assert limited.post(ann).status_code == 201


def test_a_repeated_request_is_answered_even_at_the_limit(limited: Service) -> None:
    ann = limited.author()
    for _ in range(2):
        limited.post(ann)
    first = limited.post(ann, key="last")
    again = limited.post(ann, key="last")
    assert (again.status_code, again.json()["id"]) == (200, first.json()["id"])


def test_many_at_once_do_not_pass_the_limit(limited: Service) -> None:
    ann = limited.author()
    statuses: list[int] = []
    threads = [threading.Thread(target=lambda: statuses.append(limited.post(ann).status_code)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [201] * 3 + [429] * 5
