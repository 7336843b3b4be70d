"""Who may do what: tokens, sessions, runners."""

from __future__ import annotations

from sqlalchemy import select, update

from problems.package import digest
from server.auth import COOKIE_NAME, session_cookie
from server.models import Problem, RunnerHost, Token, User, utc_now
from tests.server.conftest import SECRETS, make_settings
from tests.server.service import Service


def cookie_of(service: Service, name: str) -> dict[str, str]:
    with service.sessions() as session:
        user = session.scalar(select(User).where(User.name == name))
        return {COOKIE_NAME: session_cookie(service.settings, user)}


def test_a_token_opens_its_owners_account(both: Service) -> None:
    assert both.client.get("/api/v1/me", headers=both.author("ann")).json() == {"name": "ann", "is_admin": False}


def test_a_revoked_token_opens_nothing(service: Service) -> None:
    ann = service.author()
    with service.sessions() as session:
        session.execute(update(Token).values(revoked_at=utc_now()))
        session.commit()
    assert service.client.get("/api/v1/me", headers=ann).status_code == 401


def test_tokens_are_stored_as_digests_and_their_use_is_noted(both: Service) -> None:
    ann = both.author()
    both.client.get("/api/v1/me", headers=ann)
    text = ann["Authorization"].removeprefix("Bearer ")
    with both.sessions() as session:
        token = session.scalar(select(Token))
        assert token is not None
        assert token.last_used_at is not None
        assert text not in (token.digest, token.prefix)
        assert text.startswith(token.prefix)


def test_the_session_cookie_signs_in_as_well(service: Service) -> None:
    service.author("ann")
    service.client.cookies.update(cookie_of(service, "ann"))
    assert service.client.get("/api/v1/me").json()["name"] == "ann"


def test_a_forged_cookie_is_nobody(service: Service) -> None:
    service.author("ann")
    other = make_settings(service.settings.database_url, service.settings.data_dir, secret_key="c3" * 32)
    with service.sessions() as session:
        user = session.scalar(select(User))
        assert user is not None
        service.client.cookies.set(COOKIE_NAME, session_cookie(other, user))
    assert service.client.get("/api/v1/me").status_code == 401


def test_another_site_cannot_act_with_the_cookie(service: Service) -> None:
    submission = service.submit(service.author("ann"))
    service.client.cookies.update(cookie_of(service, "ann"))
    url = f"/api/v1/submissions/{submission}/cancel"
    for foreign in ({"Origin": "https://evil.test"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}):
        answer = service.client.post(url, headers=foreign)
        assert (answer.status_code, answer.json()["code"]) == (403, "cross_site")
    assert service.client.post(url, headers={"Origin": "http://testserver"}).status_code == 200


def test_runners_register_with_the_key_only(both: Service) -> None:
    assert both.runner("r1", level={"memory": "none"}).json() == {"heartbeat_seconds": 5.0}
    assert both.runner("r1", slots=2).status_code == 200
    wrong = {"Authorization": "Bearer nonsense"}
    answer = both.client.put("/api/v1/runners/r2", headers=wrong, json={"device": "cpu"})
    assert (answer.status_code, answer.json()["code"]) == (403, "wrong_runner_key")
    with both.sessions() as session:
        assert [(host.name, host.slots) for host in session.scalars(select(RunnerHost))] == [("r1", 2)]
    assert SECRETS["runner_key"] == both.settings.runner_key


def test_a_runner_that_signs_off_is_not_live(service: Service) -> None:
    service.runner("r1")
    assert service.client.get("/api/v1/queue").json()[0]["live_runners"] == 1
    service.runner("r1", slots=0)
    assert service.client.get("/api/v1/queue").json()[0]["live_runners"] == 0


def test_packages_are_for_runners(service: Service) -> None:
    ann = service.author()
    _, job = service.started(ann)
    url = f"/api/v1/packages/{job.problem_digest}"
    assert service.client.get(url, headers=ann).status_code == 403
    for token in (job.token, service.settings.runner_key):
        answer = service.client.get(url, headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == 200
        assert digest(answer.content) == job.problem_digest
    service.expire_leases()
    service.sweeper().expired_leases()
    assert service.client.get(url, headers={"Authorization": f"Bearer {job.token}"}).status_code == 403


def test_the_library_is_loaded_once_a_version(both: Service) -> None:
    from server.seed import sync_library

    with both.sessions() as session:
        sync_library(session, both.settings)
        slugs = session.scalars(select(Problem.slug).order_by(Problem.slug)).all()
    assert slugs == ["basics/vector_mean", "linalg/qr"]


def test_health_tells_what_is_reachable(service: Service) -> None:
    for path in ("/health", "/api/v1/health"):
        assert service.client.get(path).json() == {"status": "ok", "database": "ok", "broker": "ok"}
