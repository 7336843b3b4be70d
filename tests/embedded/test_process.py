"""Children live and die as the supervisor promises."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from server.embedded import broker
from server.embedded.home import AlreadyRunningError, Home
from server.embedded.process import Child, Program, log_tail
from server.embedded.supervisor import bind


def wait_for(what: Callable[[], bool], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "did not happen in time"
        time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def program(tmp_path: Path, code: str) -> Program:
    return Program("child", [sys.executable, "-c", code], dict(os.environ), tmp_path / "child.log")


def test_a_child_is_killed_with_its_parent(tmp_path: Path) -> None:
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, time, os\n"
            "from pathlib import Path\n"
            "from server.embedded.process import Child, Program\n"
            "code = 'import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(300)'\n"
            "child = Child(Program('c', [sys.executable, '-c', code], dict(os.environ), Path(sys.argv[1])))\n"
            "print(child.start().pid, flush=True)\n"
            "time.sleep(300)\n",
            str(tmp_path / "log"),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert alive(child)
    parent.kill()
    parent.wait()
    wait_for(lambda: not alive(child))


def test_a_child_that_ends_is_started_again_with_growing_delay(tmp_path: Path) -> None:
    child = Child(program(tmp_path, "print('started'); raise SystemExit(3)"))
    child.start()
    news: list[str] = []

    def restarted_twice() -> bool:
        if said := child.tend():
            news.append(said)
        return child.restarts >= 2

    wait_for(restarted_twice)
    child.stop()
    assert [line for line in news if "status 3" in line][:2] == [
        "child ended (status 3), restarting in 0.2 s",
        "child ended (status 3), restarting in 0.4 s",
    ]
    assert log_tail(child.program.log).startswith("started")


def test_stop_kills_what_ignores_the_request(tmp_path: Path) -> None:
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    code = deaf + "; print('up', flush=True); time.sleep(300)"
    child = Child(Program("deaf", [sys.executable, "-c", code], dict(os.environ), tmp_path / "log", stop_seconds=0.2))
    process = child.start()
    wait_for(lambda: "up" in log_tail(tmp_path / "log"))
    child.stop()
    assert process.returncode == -signal.SIGKILL
    assert child.pid is None


def test_a_home_belongs_to_one_process(tmp_path: Path) -> None:
    home = Home.at(tmp_path / "home")
    with home.lock(), pytest.raises(AlreadyRunningError, match="another --data-dir"):
        Home.at(tmp_path / "home").lock()
    home.lock().close()


def test_a_taken_port_gives_way_to_a_free_one() -> None:
    with bind("127.0.0.1", 0) as first:
        taken = first.getsockname()[1]
        with bind("127.0.0.1", taken) as second:
            assert second.getsockname()[1] != taken


def test_a_deep_data_directory_gets_a_short_socket_path(tmp_path: Path) -> None:
    home = Home.at(tmp_path / ("deep" * 30))
    assert len(os.fsencode(home.socket)) <= broker.LONGEST_SOCKET_PATH
    assert home.socket.parent.stat().st_mode & 0o777 == 0o700
    home.socket.parent.rmdir()


def test_valkey_serves_on_the_socket_alone(tmp_path: Path) -> None:
    path = tmp_path / "v.sock"
    server = Child(Program("valkey", broker.command(path), dict(os.environ), tmp_path / "v.log"))
    server.start()
    try:
        wait_for(lambda: broker.answers(path))
        assert path.stat().st_mode & 0o777 == 0o700
        sockets = {os.readlink(fd) for fd in Path(f"/proc/{server.pid}/fd").iterdir()}
        tables = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
        tcp = [line.split()[9] for table in tables for line in table.read_text().splitlines()[1:]]
        assert not sockets & {f"socket:[{inode}]" for inode in tcp}
    finally:
        server.stop()
    assert not broker.answers(path)
