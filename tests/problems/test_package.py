import io
import stat
import zipfile
from pathlib import Path

import pytest

from problems import package
from problems.package import digest, pack, unpack
from problems.spec import SpecError, library, read_spec
from tests.problems.conftest import Folder


@pytest.mark.parametrize("slug", sorted(library()))
def test_a_problem_survives_packing(slug: str, tmp_path: Path) -> None:
    archive = pack(library()[slug])
    unpack(archive, tmp_path / "unpacked")
    assert read_spec(tmp_path / "unpacked", slug) == read_spec(library()[slug], slug)
    assert pack(tmp_path / "unpacked") == archive


def test_the_digest_depends_on_content_and_names_not_on_times(folder: Folder) -> None:
    first = digest(pack(folder.task()))
    (folder.path / "reference.py").touch()
    assert digest(pack(folder.path)) == first
    folder.write("extra.py", "")
    assert digest(pack(folder.path)) != first


def test_solutions_caches_and_dot_files_stay_out(folder: Folder, tmp_path: Path) -> None:
    plain = pack(folder.task())
    for name in ("solutions/correct/a.py", "__pycache__/a.pyc", ".git/config", "starters/.hidden"):
        folder.write(name, "x")
    assert pack(folder.path) == plain


def test_links_are_not_packed(folder: Folder) -> None:
    (folder.path / "data.py").symlink_to("/etc/hostname")
    with pytest.raises(SpecError, match="links are not allowed"):
        pack(folder.path)


def test_size_is_bounded_on_both_ways(folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.write("big.txt", "x" * 5000)
    archive = pack(folder.path)
    monkeypatch.setattr(package, "MAX_BYTES", 4000)
    with pytest.raises(SpecError, match="larger than"):
        pack(folder.path)
    with pytest.raises(SpecError, match="more than"):
        unpack(archive, tmp_path / "into")
    assert not (tmp_path / "into").exists()


def test_a_bomb_is_stopped_by_what_it_unpacks_to(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", bytes(package.MAX_BYTES + 1))
    assert len(stream.getvalue()) < package.MAX_BYTES // 100
    with pytest.raises(SpecError, match="unpacks to more"):
        unpack(stream.getvalue(), tmp_path / "into")


@pytest.mark.parametrize(
    "name",
    ["../evil.py", "a/../../evil.py", "/etc/evil", "a\\b", "C:evil", "a//b", "./a", "a/", "", ".", "a\nb", "x" * 300],
)
def test_paths_that_are_not_plain_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError):
        unpack(_archive((name, stat.S_IFREG | 0o644)), tmp_path / "into")
    assert not (tmp_path / "into").exists()


def test_links_in_an_archive_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="not a regular file"):
        unpack(_archive(("link", stat.S_IFLNK | 0o777)), tmp_path / "into")


@pytest.mark.parametrize("names", [("a", "a"), ("a", "a/b")])
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_names_that_collide_are_refused(names: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="twice"):
        unpack(_archive(*((name, stat.S_IFREG | 0o644) for name in names)), tmp_path / "into")


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    many = ((f"f{number}", stat.S_IFREG | 0o644) for number in range(package.MAX_FILES + 1))
    with pytest.raises(SpecError, match="files, more than"):
        unpack(_archive(*many), tmp_path / "into")


@pytest.mark.parametrize("damage", [b"", b"PK", b"not a zip" * 50])
def test_what_is_no_archive_is_refused(damage: bytes, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="not a problem package"):
        unpack(damage, tmp_path / "into")


def test_a_damaged_archive_is_refused(folder: Folder, tmp_path: Path) -> None:
    archive = bytearray(pack(folder.path))
    archive[archive.index(b"def generate_input")] ^= 0xFF
    with pytest.raises(SpecError, match="not a problem package"):
        unpack(bytes(archive), tmp_path / "into")


def test_nothing_is_overwritten(folder: Folder, tmp_path: Path) -> None:
    archive = pack(folder.path)
    unpack(archive, tmp_path / "into")
    with pytest.raises(SpecError, match="cannot be written"):
        unpack(archive, tmp_path / "into")


def _archive(*entries: tuple[str, int]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, mode in entries:
            info = zipfile.ZipInfo(name or "placeholder")
            info.filename = name
            info.external_attr = mode << 16
            archive.writestr(info, b"x")
    return stream.getvalue()
