"""Problem packages: one archive a problem, the same bytes for the same files, known by its digest."""

from __future__ import annotations

import hashlib
import io
import stat
import zipfile
from pathlib import Path, PurePosixPath

from problems.model import SpecError

MAX_FILES = 500
MAX_BYTES = 16 << 20
# Solutions are for continuous integration: runners don't need them, and a new one makes no new problem.
LEFT_OUT = frozenset({"__pycache__", "solutions"})


def pack(directory: Path) -> bytes:
    """The package of the problem in `directory`: a zip of its regular files, without solutions, caches and dot files.

    Raises SpecError for links and special files, and for more than MAX_FILES files or MAX_BYTES bytes.
    """
    names = sorted(_names(directory, PurePosixPath()))
    if len(names) > MAX_FILES:
        raise SpecError(f"{directory.name}: {len(names)} files, more than {MAX_FILES}")
    if sum((directory / name).stat().st_size for name in names) > MAX_BYTES:
        raise SpecError(f"{directory.name}: larger than {MAX_BYTES} bytes; generate large data from a key instead")
    stream = io.BytesIO()
    # Stored, not deflated: what zlib makes differs between its versions, and the digest must not.
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name in names:
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system = 3
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, (directory / name).read_bytes())
    return stream.getvalue()


def _names(directory: Path, below: PurePosixPath) -> list[str]:
    names: list[str] = []
    for path in sorted((directory / below).iterdir()):
        name = below / path.name
        if path.name.startswith(".") or path.name in LEFT_OUT:
            continue
        if path.is_symlink():
            raise SpecError(f"{name}: links are not allowed in a problem; copy the file")
        if path.is_dir():
            names += _names(directory, name)
        elif path.is_file():
            names.append(str(name))
        else:
            raise SpecError(f"{name}: not a regular file")
    return names


def digest(archive: bytes) -> str:
    """The SHA-256 of a package, in hexadecimal."""
    return hashlib.sha256(archive).hexdigest()


def unpack(archive: bytes, into: Path) -> None:
    """Write the files of a package below `into`, which is made if need be and must not hold any of them yet.

    Raises SpecError, before anything is written, for paths that leave the folder, links, duplicates and bombs.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as zipped:
            files = _read_all(zipped)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, UnicodeError) as error:
        raise SpecError(f"not a problem package: {error}") from None
    into.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = into / name
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with path.open("xb") as target:
                target.write(content)
        except OSError as error:
            raise SpecError(f"{name}: cannot be written: {error.strerror}") from None


def _read_all(zipped: zipfile.ZipFile) -> dict[str, bytes]:
    entries = zipped.infolist()
    if len(entries) > MAX_FILES:
        raise SpecError(f"package holds {len(entries)} files, more than {MAX_FILES}")
    files: dict[str, bytes] = {}
    left = MAX_BYTES
    for entry in entries:
        _refuse_unsafe(entry, files)
        # The size that an entry claims may be a lie; read one byte more than is allowed and see.
        with zipped.open(entry) as source:
            content = source.read(left + 1)
        left -= len(content)
        if left < 0:
            raise SpecError(f"package unpacks to more than {MAX_BYTES} bytes")
        files[entry.filename] = content
    return files


def _refuse_unsafe(entry: zipfile.ZipInfo, seen: dict[str, bytes]) -> None:
    name, mode = entry.filename, entry.external_attr >> 16
    path = PurePosixPath(name)
    plain = name == str(path) and not path.is_absolute() and ".." not in path.parts and name.isprintable()
    if not plain or "\\" in name or ":" in name or len(name) > 200 or name in (".", ""):
        raise SpecError(f"package holds a path that is not plain: {name[:80]!r}")
    if entry.is_dir() or stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        raise SpecError(f"package holds {name[:80]!r}, which is not a regular file")
    if name in seen or any(str(parent) in seen for parent in path.parents):
        raise SpecError(f"package holds {name[:80]!r} twice")
