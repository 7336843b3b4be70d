"""What a cell left in its /build, as one archive, and back. Everything in such a folder is hostile, its names included.

Only regular files and folders are taken, opened without following links and without waiting; of their modes only
whether they can be executed is kept, of their owners nothing. Times are kept to the nanosecond: ninja compares them.
"""

from __future__ import annotations

import os
import shutil
import stat
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

MOST_DEPTH = 24
MOST_NAME_BYTES = 1024
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class ArchiveError(Exception):
    """The folder is larger than allowed, changes while it is read, or the archive is not one of ours."""


@dataclass
class Allowance:
    """What may still be taken."""

    files: int
    """Folders count too."""
    bytes: int

    def take(self, size: int) -> None:
        """Count one file of `size` bytes. Raises ArchiveError when it is too much."""
        self.files -= 1
        self.bytes -= size
        if self.files < 0 or self.bytes < 0:
            raise ArchiveError("more files or bytes than are kept")


def pack(folder: Path, archive: IO[bytes], allowance: Allowance) -> int:
    """Write what is in `folder` to `archive`; returns how many regular files that were. Raises ArchiveError, OSError.

    Links and special files are left out, as is what lies deeper than MOST_DEPTH folders.
    """
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as tar, _opened(folder, _FOLDER) as root:
        try:
            return _pack_folder(tar, root, PurePosixPath(), allowance)
        except tarfile.TarError as error:
            raise ArchiveError(str(error)) from error


def _pack_folder(tar: tarfile.TarFile, folder: int, below: PurePosixPath, allowance: Allowance) -> int:
    count = 0
    for name in sorted(os.listdir(folder)):
        path = below / name
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if not _can_be_named(path) or len(path.parts) > MOST_DEPTH:
            continue
        if stat.S_ISDIR(found.st_mode):
            allowance.take(0)
            tar.addfile(_header(path, found, tarfile.DIRTYPE))
            with _opened(name, _FOLDER, folder) as inner:
                count += _pack_folder(tar, inner, path, allowance)
        elif stat.S_ISREG(found.st_mode):
            count += _pack_file(tar, folder, name, path, allowance)
    return count


def _pack_file(tar: tarfile.TarFile, folder: int, name: str, path: PurePosixPath, allowance: Allowance) -> int:
    with _opened(name, _FILE, folder) as descriptor:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return 0
        allowance.take(found.st_size)
        with open(descriptor, "rb", closefd=False) as file:
            tar.addfile(_header(path, found, tarfile.REGTYPE), file)
    return 1


def _can_be_named(path: PurePosixPath) -> bool:
    try:
        return len(str(path).encode()) <= MOST_NAME_BYTES
    except UnicodeEncodeError:
        return False


def _header(path: PurePosixPath, found: os.stat_result, kind: bytes) -> tarfile.TarInfo:
    header = tarfile.TarInfo(str(path))
    header.type = kind
    header.size = found.st_size if kind == tarfile.REGTYPE else 0
    header.mode = 0o755 if kind == tarfile.DIRTYPE or found.st_mode & 0o111 else 0o644
    header.pax_headers = {"mtime": f"{found.st_mtime_ns // 10**9}.{found.st_mtime_ns % 10**9:09d}"}
    return header


@contextmanager
def _opened(path: str | Path, flags: int, folder: int | None = None) -> Iterator[int]:
    descriptor = os.open(path, flags, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def unpack(archive: IO[bytes], folder: Path, owner: int, allowance: Allowance) -> None:
    """Put what :func:`pack` wrote into `folder`, owned by `owner`: a folder that nothing hostile has written to yet.

    Raises ArchiveError or OSError, and then leaves `folder` without files.
    """
    try:
        with tarfile.open(fileobj=archive, mode="r:") as tar:
            for member in tar:
                allowance.take(member.size)
                _unpack_one(tar, member, folder, owner)
    except (OSError, ValueError, tarfile.TarError, ArchiveError) as error:
        _empty(folder)
        raise ArchiveError(str(error)) from error


def _unpack_one(tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path, owner: int) -> None:
    inside = PurePosixPath(member.name)
    if inside.is_absolute() or ".." in inside.parts or not inside.parts:
        raise ArchiveError(f"not a name below a folder: {member.name!r}")
    target = folder / inside
    if member.isdir():
        target.mkdir(mode=0o755, exist_ok=True)
        os.chown(target, owner, owner)
        return
    content = tar.extractfile(member) if member.isreg() else None
    if content is None:
        raise ArchiveError(f"neither file nor folder: {member.name!r}")
    descriptor = os.open(target, _NEW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        shutil.copyfileobj(content, file)
        os.fchmod(descriptor, 0o755 if member.mode & 0o111 else 0o644)
        os.fchown(descriptor, owner, owner)
    seconds, _, fraction = member.pax_headers["mtime"].partition(".")
    changed = int(seconds) * 10**9 + int(fraction)
    os.utime(target, ns=(changed, changed), follow_symlinks=False)


def _empty(folder: Path) -> None:
    """Remove all files; folders may stay."""
    for place, _, names in os.walk(folder):
        for name in names:
            Path(place, name).unlink(missing_ok=True)
