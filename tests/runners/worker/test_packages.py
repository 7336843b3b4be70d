"""Problem packages: fetched once, checked, whole."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from problems.package import digest, pack
from problems.spec import library
from runners.packages import PackageCache, PackageError


@pytest.fixture(scope="module")
def archive() -> bytes:
    return pack(library()["basics/vector_mean"])


def test_a_package_is_fetched_once(tmp_path: Path, archive: bytes) -> None:
    asked: list[str] = []

    def fetch(wanted: str) -> bytes:
        asked.append(wanted)
        return archive

    cache = PackageCache(tmp_path / "packages")
    first, second = cache.path(digest(archive), fetch), cache.path(digest(archive), fetch)
    assert first == second
    assert (first / "task.yml").is_file()
    assert asked == [digest(archive)]
    assert [path.name for path in (tmp_path / "packages").iterdir()] == [digest(archive)]


def test_another_package_than_the_wanted_one_is_refused(tmp_path: Path, archive: bytes) -> None:
    cache = PackageCache(tmp_path)
    with pytest.raises(PackageError):
        cache.path("0" * 64, lambda _: archive)
    assert list(tmp_path.iterdir()) == []


def test_two_processes_may_fetch_at_the_same_time(tmp_path: Path, archive: bytes) -> None:
    together = threading.Barrier(2)

    def fetch(_wanted: str) -> bytes:
        together.wait(30)
        return archive

    found: list[Path] = []
    threads = [
        threading.Thread(target=lambda: found.append(PackageCache(tmp_path).path(digest(archive), fetch)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [tmp_path / digest(archive)] * 2
    assert [path.name for path in tmp_path.iterdir()] == [digest(archive)]
