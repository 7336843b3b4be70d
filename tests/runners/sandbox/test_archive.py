"""Archives of what a cell left behind: nothing in such a folder is trusted, and nothing in an archive leads out."""

from __future__ import annotations

import io
import os
import socket
import tarfile
from pathlib import Path

import pytest

from runners.sandbox.archive import Allowance, ArchiveError, pack, unpack

PLENTY = 1 << 20


def packed(folder: Path, files: int = 100, size: int = PLENTY) -> io.BytesIO:
    archive = io.BytesIO()
    pack(folder, archive, Allowance(files, size))
    archive.seek(0)
    return archive


def unpacked(archive: io.BytesIO, folder: Path) -> list[str]:
    unpack(archive, folder, os.getuid(), Allowance(100, PLENTY))
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.fixture
def left(tmp_path: Path) -> Path:
    folder = tmp_path / "left"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub/library.so").write_bytes(b"\0\1\2" * 100)
    (folder / "tool").write_text("#!/bin/sh\n")
    (folder / "tool").chmod(0o6711)
    return folder


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "place"
    (folder / "home").mkdir(parents=True)
    return folder


def test_files_come_back_with_their_times_and_without_their_powers(left: Path, place: Path) -> None:
    os.utime(left / "tool", ns=(1, 1_700_000_000_123_456_789))
    assert unpacked(packed(left), place) == ["home", "sub", "sub/library.so", "tool"]
    assert (place / "sub/library.so").read_bytes() == b"\0\1\2" * 100
    assert (place / "tool").stat().st_mtime_ns == 1_700_000_000_123_456_789
    assert (place / "tool").stat().st_mode & 0o7777 == 0o755
    assert (place / "sub/library.so").stat().st_mode & 0o7777 == 0o644


def test_links_and_special_files_are_left_out_and_never_opened(left: Path, place: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    (left / "link").symlink_to(secret)
    (left / "folder").symlink_to(tmp_path)
    os.mkfifo(left / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(left / "socket"))
        archive = packed(left)
    assert b"secret" not in archive.getvalue()
    assert unpacked(archive, place) == ["home", "sub", "sub/library.so", "tool"]


def test_names_that_are_no_text_too_long_or_too_deep_are_left_out(left: Path, place: Path) -> None:
    with open(os.fsencode(left) + b"/\xff", "w"):
        pass
    (left / Path(*("d" * 200 for _ in range(6)))).mkdir(parents=True)
    (left / Path(*("d" for _ in range(40)))).mkdir(parents=True)
    found = unpacked(packed(left), place)
    assert {"sub/library.so", "tool"} < set(found)
    assert max(len(Path(name).parts) for name in found) == 24
    assert max(map(len, found)) <= 1024


def test_too_much_is_refused_whatever_it_is_made_of(left: Path) -> None:
    with pytest.raises(ArchiveError):
        packed(left, files=2)
    with pytest.raises(ArchiveError):
        packed(left, size=200)
    with (left / "hole").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(ArchiveError):
        packed(left)


def member(name: str, kind: bytes, content: bytes = b"", link: str = "") -> io.BytesIO:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as tar:
        first = tarfile.TarInfo("first")
        first.pax_headers = {"mtime": "1.000000001"}
        tar.addfile(first, io.BytesIO())
        header = tarfile.TarInfo(name)
        header.type, header.size, header.linkname = kind, len(content), link
        header.pax_headers = {"mtime": "1.000000001"}
        tar.addfile(header, io.BytesIO(content))
    archive.seek(0)
    return archive


@pytest.mark.parametrize(
    "archive",
    [
        member("../out", tarfile.REGTYPE, b"x"),
        member("/tmp/kernelcup-out", tarfile.REGTYPE, b"x"),
        member("link", tarfile.SYMTYPE, link="/etc/passwd"),
        member("link", tarfile.LNKTYPE, link="first"),
        member("device", tarfile.CHRTYPE),
        member("pipe", tarfile.FIFOTYPE),
        member("first", tarfile.REGTYPE, b"twice"),
        member("missing/folder", tarfile.REGTYPE, b"x"),
        member("large", tarfile.REGTYPE, bytes(PLENTY + 1)),
        io.BytesIO(b"no archive" * 100),
    ],
)
def test_an_archive_that_is_not_ours_leaves_no_file(archive: io.BytesIO, place: Path) -> None:
    with pytest.raises(ArchiveError):
        unpacked(archive, place)
    assert [str(path.relative_to(place)) for path in place.rglob("*")] == ["home"]
    assert not (place.parent / "out").exists()
