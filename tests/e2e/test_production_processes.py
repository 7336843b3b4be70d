"""docker-compose.yml's own commands, as processes, against a real PostgreSQL and a real Redis."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import redis

from server.db import engine_for, session_factory, session_scope
from server.embedded.accounts import shorten_boards
from server.embedded.process import Child, Program
from tests.e2e.compose import ROOT, Stack, read_compose, readable_by
from tests.e2e.service import EXAMPLES, KERNELCUP, alive, wait_done, wait_until

pytestmark = pytest.mark.timing

VARIABLES = {
    name: secrets.token_hex(24)
    for name in (
        "KERNELCUP_SECRET_KEY",
        "KERNELCUP_RUNNER_KEY",
        "POSTGRES_PASSWORD",
        "REDIS_SERVICE_PASSWORD",
        "REDIS_RUNNER_CPU_PASSWORD",
    )
}
LONG_RUNNING = ("server", "control", "guard", "runner-cpu")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def postgres_programs() -> Path | None:
    """The folder with initdb and postgres."""
    folders = [*sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]
    if found := shutil.which("initdb"):
        folders.append(Path(found).parent)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


@pytest.fixture(scope="module")
def postgres() -> Iterator[int]:
    """The port of a PostgreSQL server of our own, with the user and database that Compose would make."""
    programs = postgres_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="kernelcup-pg-"))
    user = "postgres" if os.getuid() == 0 else None
    password = folder / "password"
    password.write_text(VARIABLES["POSTGRES_PASSWORD"])
    for path in (folder, password):
        readable_by("postgres", path)
    data, port = folder / "data", free_port()
    subprocess.run(
        [programs / "initdb", "-D", data, "-U", "kernelcup", "--auth=scram-sha-256", "--pwfile", password, "-N"],
        check=True,
        capture_output=True,
        user=user,
        cwd=folder,
    )
    command = [str(programs / "postgres"), "-D", str(data), "-k", str(folder), "-h", "127.0.0.1", "-p", str(port)]
    if user:
        command = [
            "setpriv",
            "--pdeathsig",
            "KILL",
            "--reuid",
            "postgres",
            "--regid",
            "postgres",
            "--clear-groups",
            "--",
            *command,
        ]
    server = Child(Program("postgres", command, {"PATH": os.environ["PATH"]}, folder / "log"))
    server.start()
    try:
        ready = [str(programs / "pg_isready"), "-h", "127.0.0.1", "-p", str(port)]
        wait_until(lambda: subprocess.run(ready, capture_output=True).returncode == 0, "PostgreSQL")
        subprocess.run(
            [programs / "createdb", "-h", "127.0.0.1", "-p", str(port), "-U", "kernelcup", "kernelcup"],
            check=True,
            env={"PGPASSWORD": VARIABLES["POSTGRES_PASSWORD"]},
        )
        yield port
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def stack(postgres: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """All of Compose's services, started in its order."""
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not installed (apt-get install redis-server)")
    root = Path(tmp_path_factory.mktemp("stack"))
    broker, site = free_port(), free_port()
    url = f"http://127.0.0.1:{site}"
    places = {
        "/kernelcup/": f"{ROOT / 'docker'}/",
        "@postgres:5432": f"@127.0.0.1:{postgres}",
        "@redis:6379": f"@127.0.0.1:{broker}",
        "http://server:8000": url,
        "/tmp/": f"{root}/",
        "/var/lib/kernelcup": f"{root}/runner",
    }
    stack = Stack(read_compose({**VARIABLES, "KERNELCUP_PUBLIC_URL": url}), places, root)
    try:
        stack.start("redis", {"REDIS_DATA": str(root), "REDIS_PORT": str(broker), "REDIS_BIND": "127.0.0.1"})
        wait_until(lambda: redis_as("service", broker).ping(), "Redis")
        migrate = stack.start("migrate").process
        assert migrate is not None
        assert migrate.wait(120) == 0, stack.logs()
        stack.places["redis-port"] = str(broker)
        for name in LONG_RUNNING:
            stack.start(name, {"UVICORN_HOST": "127.0.0.1", "UVICORN_PORT": str(site)} if name == "server" else None)
        wait_until(lambda: answers(url), "the site")
        yield stack
    finally:
        stack.stop()


def redis_as(user: str, port: int) -> redis.Redis:
    password = VARIABLES["REDIS_SERVICE_PASSWORD" if user == "service" else "REDIS_RUNNER_CPU_PASSWORD"]
    retry = redis.retry.Retry(redis.backoff.ConstantBackoff(0.1), 100)
    return redis.Redis(
        "127.0.0.1", port, username=user, password=password, retry=retry, retry_on_error=[redis.ConnectionError]
    )


def answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health").is_success
    except httpx.TransportError:
        return False


@pytest.fixture(scope="module")
def client(stack: Stack) -> Iterator[httpx.Client]:
    """An author, with a token from the command that an operator uses."""
    made = subprocess.run(
        [KERNELCUP, "admin", "token", "ada"],
        env=stack.env("server"),
        capture_output=True,
        text=True,
        check=True,
    )
    token = made.stdout.split()[-1]
    assert token.startswith("kc_")
    engine = engine_for(stack.env("server")["KERNELCUP_DATABASE_URL"])
    with session_scope(session_factory(engine)) as session:
        shorten_boards(session, {"vector_mean-cpu"}, 1.0)
    engine.dispose()
    url = stack.env("server")["KERNELCUP_API_URL"]
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=f"{url}/api/v1", headers=headers, timeout=30) as session_client:
        yield session_client


def send(client: httpx.Client, kind: str, name: str) -> int:
    source = (EXAMPLES / kind / "vector_mean-cpu" / name).read_bytes()
    answer = client.post(
        "/submissions", data={"board": "vector_mean-cpu", "mode": "ranked"}, files={"file": (name, source)}
    )
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


def test_an_honest_kernel_is_ranked_and_a_cheat_rejected(stack: Stack, client: httpx.Client) -> None:
    honest, cheat = send(client, "honest", "torch_mean.py"), send(client, "cheats", "clock_patch.py")
    assert wait_done(client, honest)["outcome"] == "ranked", stack.logs()
    assert wait_done(client, cheat)["outcome"] == "rejected", stack.logs()
    rows = client.get("/boards/vector_mean-cpu/rows").json()["rows"]
    assert [(row["submission_id"], row["author"], row["rank_low"]) for row in rows] == [(honest, "ada", 1)]


def test_every_service_still_runs(stack: Stack, client: httpx.Client) -> None:
    assert client.get("/me").json()["name"] == "ada"
    pids = {name: stack.children[name].pid for name in ("redis", *LONG_RUNNING)}
    assert None not in pids.values(), stack.logs()
    assert len(alive(pid for pid in pids.values() if pid)) == len(pids)


def test_a_runner_is_given_no_database_and_no_session_key(stack: Stack) -> None:
    names = set(stack.services["runner-cpu"]["environment"])
    assert names == {"KERNELCUP_BROKER_URL", "KERNELCUP_RUNNER_KEY", "KERNELCUP_API_URL", "KERNELCUP_RUNNER_DIR"}


def test_a_runner_may_touch_its_own_queue_alone(stack: Stack) -> None:
    runner = redis_as("runner-cpu", int(stack.places["redis-port"]))
    assert runner.llen("device.cpu") == 0
    for forbidden in (
        lambda: runner.llen("device.cuda"),
        lambda: runner.lrange("control", 0, -1),
        lambda: runner.lpush("control", "x"),
        lambda: runner.hgetall("unacked"),
        lambda: runner.keys(),
        lambda: runner.config_get(),
        lambda: runner.publish("anything", "x"),
        lambda: runner.flushall(),
    ):
        with pytest.raises(redis.exceptions.NoPermissionError):
            forbidden()


@pytest.mark.parametrize("name", ["redis", "postgres"])
def test_example_values_are_refused(name: str) -> None:
    example = dict(
        line.split("=", 1)
        for line in (ROOT / ".env.example").read_text().splitlines()
        if line and not line.startswith("#")
    )
    stack = Stack(read_compose(example), {"/kernelcup/": f"{ROOT / 'docker'}/"}, ROOT)
    refused = subprocess.run(stack.command(name), env=stack.env(name), capture_output=True, text=True, timeout=60)
    assert refused.returncode == 78
    assert ".env.example" in refused.stderr


def test_the_server_refuses_example_secrets() -> None:
    variables = {**VARIABLES, "KERNELCUP_SECRET_KEY": "change-me" * 5, "KERNELCUP_PUBLIC_URL": "https://k.example.org"}
    stack = Stack(read_compose(variables), {}, ROOT)
    refused = subprocess.run(
        [KERNELCUP, "admin", "migrate"], env=stack.env("migrate"), capture_output=True, text=True, timeout=60
    )
    assert refused.returncode != 0
    assert "KERNELCUP_SECRET_KEY" in refused.stderr
