from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from runners.judge import turn
from runners.judge.faults import JudgeFault
from runners.judge.turn import cache_of, cache_turn

CORE = min(os.sched_getaffinity(0))


def holder(folder: Path) -> int:
    """A process that holds the turn until it is killed."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        with cache_turn(CORE, folder):
            os.write(write, b"x")
            signal.pause()
        os._exit(0)
    assert os.read(read, 1) == b"x"
    os.close(read)
    os.close(write)
    return pid


def test_a_second_run_waits_until_the_first_is_over(tmp_path: Path) -> None:
    pid, had = holder(tmp_path), threading.Event()

    def wait() -> None:
        with cache_turn(CORE, tmp_path):
            had.set()

    thread = threading.Thread(target=wait)
    thread.start()
    assert not had.wait(0.3)
    # Killed hard: a lock must not outlive its run.
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    assert had.wait(30)
    thread.join()


def test_a_turn_that_never_comes_is_no_fault_of_the_author(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pid = holder(tmp_path)
    monkeypatch.setattr(turn, "PATIENCE_SECONDS", 0.1)
    try:
        with pytest.raises(JudgeFault, match="last-level cache"), cache_turn(CORE, tmp_path):
            pass
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / f"kernelcup-cache-{cache_of(CORE)}.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(JudgeFault), cache_turn(CORE, tmp_path):
        pass
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_lock_that_another_user_made_is_shared(tmp_path: Path) -> None:
    # As /tmp is: there the kernel may refuse to open somebody else's file for creation.
    tmp_path.chmod(0o1777)
    with cache_turn(CORE, tmp_path):
        pass
    (lock,) = tmp_path.iterdir()
    assert lock.stat().st_mode & 0o777 == 0o644
    os.chown(lock, 12345, 12345)
    with cache_turn(CORE, tmp_path):
        assert lock.stat().st_uid == 12345


def test_cores_of_one_cache_have_one_name() -> None:
    name = cache_of(CORE)
    spans = [part.partition("-") for part in name.split(",")] if name != "all" else []
    sharing = {core for first, _, last in spans for core in range(int(first), int(last or first) + 1)}
    assert name == "all" or CORE in sharing
    assert {cache_of(core) for core in sharing | {CORE}} == {name}
