"""The hierarchy of caches, read from trees like a host's."""

from __future__ import annotations

from pathlib import Path

import pytest

from runners.devices.caches import Cache, cached_bytes, caches_of, parse_size
from runners.host_files import HostFiles, parse_cores
from tests.runners.host_trees import cache_files, host


def zen(core: int, group: str) -> dict[str, str]:
    return cache_files(
        core,
        {
            "index0": (1, "Data", "32K", str(core)),
            "index1": (1, "Instruction", "32K", str(core)),
            "index2": (2, "Unified", "1024K", str(core)),
            "index3": (3, "Unified", "96M", group),
        },
    )


def test_data_caches_come_nearest_first_with_those_who_share_them(tmp_path: Path) -> None:
    files = host(tmp_path, zen(3, "0-7,16-23"))
    near, middle, last = caches_of(3, files)
    assert near == Cache(1, 32 << 10, (3,))
    assert middle == Cache(2, 1 << 20, (3,))
    assert (last.level, last.bytes) == (3, 96 << 20)
    assert last.shared == (*range(8), *range(16, 24))


def test_a_shared_cache_counts_once_and_two_groups_count_twice(tmp_path: Path) -> None:
    files = host(tmp_path, {**zen(1, "0-7"), **zen(2, "0-7"), **zen(8, "8-15")})
    private = (32 << 10) + (1 << 20)
    assert cached_bytes((1, 2), files) == 2 * private + (96 << 20)
    assert cached_bytes((1, 8), files) == 2 * private + 2 * (96 << 20)


def test_a_processor_without_a_third_level_has_two(tmp_path: Path) -> None:
    arm = cache_files(0, {"index0": (1, "Data", "64K", "0"), "index1": (2, "Unified", "4M", "0-3")})
    assert [cache.level for cache in caches_of(0, host(tmp_path, arm))] == [1, 2]


@pytest.mark.parametrize("files", [{}, {"/sys/devices/system/cpu/cpu0/cache/index0/size": "lots"}])
def test_where_the_kernel_tells_nothing_a_guess_does(tmp_path: Path, files: dict[str, str]) -> None:
    levels = caches_of(0, host(tmp_path, files))
    assert [cache.level for cache in levels] == [1, 2, 3]
    assert all(cache.bytes > 0 for cache in levels)


@pytest.mark.parametrize(
    ("text", "size"), [("32K", 32 << 10), ("1M", 1 << 20), ("2G", 2 << 30), ("512", 512), ("", 0), (None, 0), ("x", 0)]
)
def test_sizes(text: str | None, size: int) -> None:
    assert parse_size(text) == size


def test_lists_of_cores() -> None:
    assert parse_cores("0-2,5\n") == (0, 1, 2, 5)
    assert parse_cores("\n") == ()
    with pytest.raises(ValueError, match="invalid"):
        parse_cores("a-b")


def test_files_that_are_not_there_or_not_as_expected_are_none(tmp_path: Path) -> None:
    files = host(tmp_path, {"/a/text": "yes\n", "/a/list": "all\n", "/a/fields": "x : 1\nno colon\nx: 2\ny: a:b\n"})
    assert (files.text("/a/text"), files.text("/a/missing"), files.text("/a")) == ("yes", None, None)
    assert (files.number("/a/text"), files.number("/a/missing")) == (None, None)
    assert (files.cores("/a/list"), files.cores("/a/missing")) == (None, None)
    assert files.names("/a", "te*") == ["text"]
    assert files.names("/b") == []
    assert files.fields("/a/fields") == {"x": "1", "y": "a:b"}


def test_this_host_has_a_hierarchy() -> None:
    sizes = [cache.bytes for cache in caches_of(0, HostFiles())]
    assert sizes == sorted(sizes)
