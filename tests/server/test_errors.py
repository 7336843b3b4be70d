"""Every error is a problem details document that says what to do; none says too much."""

from __future__ import annotations

import pytest
from httpx import Response

from server.schemas import ProblemDetails
from tests.server.service import Service


def check(answer: Response, status: int, code: str) -> ProblemDetails:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = ProblemDetails.model_validate(answer.json())
    assert (problem.status, problem.code) == (status, code)
    assert problem.title
    assert problem.detail
    return problem


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "nowhere", 404, "not_found"),
        ("GET", "boards/nowhere", 404, "not_found"),
        ("GET", "boards/nowhere/rows", 404, "not_found"),
        ("GET", "problems/no/where", 404, "not_found"),
        ("GET", "submissions/12", 404, "not_found"),
        ("GET", "submissions/99999999999999999999", 404, "not_found"),
        ("GET", "submissions/one", 422, "invalid_request"),
        ("GET", "submissions?limit=0", 401, "unauthorized"),
        ("GET", "me", 401, "unauthorized"),
        ("POST", "submissions", 401, "unauthorized"),
        ("POST", "submissions/1/cancel", 401, "unauthorized"),
        ("DELETE", "boards", 405, "method_not_allowed"),
        ("PUT", "attempts/1/start", 401, "unauthorized"),
        ("PUT", "attempts/0/start", 422, "invalid_request"),
        ("PUT", "runners/r1", 401, "unauthorized"),
        ("GET", f"packages/{'0' * 64}", 401, "unauthorized"),
    ],
)
def test_errors_have_one_form(service: Service, method: str, path: str, status: int, code: str) -> None:
    check(service.client.request(method, f"/api/v1/{path}"), status, code)


def test_405_says_what_is_allowed(service: Service) -> None:
    assert service.client.delete("/api/v1/boards").headers["allow"] == "GET"


def test_401_says_how_to_sign_in(service: Service) -> None:
    assert service.client.get("/api/v1/me").headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "header", ["Bearer kc_wrong", "Bearer wrong", "Basic abc", "Bearer", "kc_x", "Bearer " + "k" * 5000]
)
def test_wrong_tokens_are_refused_even_where_none_is_needed(service: Service, header: str) -> None:
    submission = service.submit(service.author())
    for path in ("me", f"submissions/{submission}"):
        answer = service.client.get(f"/api/v1/{path}", headers={"Authorization": header})
        check(answer, 401, "unauthorized")


def test_validation_names_the_fields_and_repeats_nothing(service: Service) -> None:
    body = {"board": "b", "source": "SECRETSOURCE", "mode": "fast", "more": 1}
    answer = service.client.post("/api/v1/submissions", headers=service.author(), json=body)
    check(answer, 422, "invalid_request")
    assert {item["field"] for item in answer.json()["errors"]} == {"body.mode", "body.more"}
    assert "SECRETSOURCE" not in answer.text


def test_a_fault_of_ours_says_so_and_no_more(service: Service) -> None:
    @service.app.get("/api/v1/broken")
    def broken() -> None:
        raise RuntimeError("a secret path")

    answer = service.client.get("/api/v1/broken")
    problem = check(answer, 500, "internal_error")
    assert "our fault" in problem.detail
    assert "secret" not in answer.text


def test_a_declared_size_over_the_bound_is_refused_unread(service: Service) -> None:
    answer = service.client.put("/api/v1/runners/r1", headers={"Content-Length": "999999999999"}, content=b"{}")
    check(answer, 413, "too_large")


def test_every_answer_carries_a_request_id(service: Service) -> None:
    given = {"X-Request-ID": "0123456789abcdef"}
    assert service.client.get("/health", headers=given).headers["x-request-id"] == "0123456789abcdef"
    forged = {"X-Request-ID": 'x"} {"level": "error'}
    assert len(service.client.get("/health", headers=forged).headers["x-request-id"]) == 16


def test_the_description_is_complete(service: Service) -> None:
    description = service.client.get("/api/v1/openapi.json").json()
    paths = description["paths"]
    for path in ("/api/v1/submissions", "/api/v1/boards/{name}/rows", "/api/v1/submissions/{submission_id}/events"):
        assert path in paths
    body = paths["/api/v1/submissions"]["post"]["requestBody"]["content"]
    assert set(body) == {"multipart/form-data", "application/json"}
    for operations in paths.values():
        for operation in operations.values():
            assert operation.get("description"), operation["operationId"]
