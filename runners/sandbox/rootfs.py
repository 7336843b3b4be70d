"""What a cell sees of the file system: a read-only image, made once a run, and what each cell gets of its own.

The image holds the system's and the interpreter's trees, bound read-only, four device nodes, and nothing of ours: the
project's packages are not in it, or are covered where they are installed inside a visible tree.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path

from runners.sandbox import libc

EXTRA_PATHS = "KERNELCUP_SANDBOX_PATHS"
"""Environment variable: more trees to show, separated by colons; e.g. a compiler under /opt."""

_OURS = ("server", "runners", "problems", "guard", "web", "clients", "migrations", "tests", "benchmarks")
_TOP_LEVEL = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_DEVICES = ("null", "zero", "full", "random", "urandom")
_TOPOLOGY = ("/sys/devices/system/cpu", "/sys/devices/system/node")
_MOUNT_POINTS = ("proc", "tmp", "build", "dev/shm")
_READ_ONLY = libc.MOUNT_ATTR_RDONLY | libc.MOUNT_ATTR_NOSUID | libc.MOUNT_ATTR_NODEV
_PLAIN = libc.MS_NOSUID | libc.MS_NODEV
_MAX_FILES = 1 << 16
_SHM_BYTES = 64 << 20


@functools.cache
def visible_trees() -> tuple[Path, ...]:
    """The folders that cells may read: /usr, the interpreter, the virtual environment, torch's site-packages.

    Found once in a process; the warm one does it for all its judges.
    """
    wanted = [Path("/usr"), Path(sys.base_prefix), Path(sys.base_exec_prefix), Path(sys.prefix)]
    wanted.append(Path(sys.executable).resolve().parent.parent)
    for package in ("numpy", "torch", "triton"):
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin is not None:
            wanted.append(Path(spec.origin).parent.parent)
    wanted += [Path(text) for text in os.environ.get(EXTRA_PATHS, "").split(":") if text]
    chosen: list[Path] = []
    for tree in sorted(set(wanted), key=lambda path: len(path.parts)):
        if len(tree.parts) > 1 and tree.is_dir() and not any(tree.is_relative_to(seen) for seen in chosen):
            chosen.append(tree)
    return tuple(chosen)


def hidden_folders(trees: tuple[Path, ...]) -> tuple[Path, ...]:
    """Our own packages, where they lie inside a visible tree."""
    home = Path(__file__).resolve().parents[2]
    return tuple(
        home / name for name in _OURS if (home / name).is_dir() and any(home.is_relative_to(tree) for tree in trees)
    )


def mount_base() -> Path:
    """A folder to mount on; the same one for all judges of a user, each in a mount namespace of its own."""
    for parent in ("/run", tempfile.gettempdir()):
        base = Path(parent, f"kernelcup-{os.getuid()}")
        with contextlib.suppress(OSError):
            base.mkdir(mode=0o700, exist_ok=True)
            found = base.lstat()
            if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid():
                return base
    raise OSError(f"no folder to mount on: neither /run nor {tempfile.gettempdir()} can be written")


class Image:
    """The file system of a run's cells. Made by the judge, in its own mount namespace."""

    def __init__(self, scratch_bytes: int, uid: int) -> None:
        self._base = mount_base()
        self._root = self._base / "root"
        self._builds = self._base / "builds"
        self._late = {
            tree: self._base / "late" / str(number)
            for number, tree in enumerate(visible_trees())
            if any(tree.is_relative_to(Path("/", point)) for point in _MOUNT_POINTS)
        }
        _tmpfs(self._base, max(scratch_bytes, 1 << 20), "0755")
        self._root.mkdir()
        self._builds.mkdir()
        _tmpfs(self._root, 4 << 20, "0755")
        self._fill(uid)
        _restrict_one(self._root, libc.MS_RDONLY | _PLAIN)

    def _fill(self, uid: int) -> None:
        root = self._root
        for name in (*_MOUNT_POINTS, "etc", "dev"):
            (root / name).mkdir(parents=True, exist_ok=True)
        trees = visible_trees()
        for tree in trees:
            if (place := self._late.get(tree)) is not None:
                place.mkdir(parents=True)
                _bind_at(tree, place, _READ_ONLY)
            else:
                _bind(tree, root, _READ_ONLY)
        for name in _TOP_LEVEL:
            self._top_level(Path("/", name))
        for folder in hidden_folders(trees):
            _tmpfs(self._shown_at(folder), 4096, "0755", libc.MS_RDONLY)
        for name in _DEVICES:
            _bind(Path("/dev", name), root, libc.MOUNT_ATTR_NOSUID | libc.MOUNT_ATTR_NOEXEC)
        for name in _TOPOLOGY:
            if Path(name).is_dir():
                with contextlib.suppress(OSError):
                    _bind(Path(name), root, _READ_ONLY | libc.MOUNT_ATTR_NOEXEC)
        self._configuration(uid)

    def _shown_at(self, folder: Path) -> Path:
        """Where a folder of a visible tree lies for now: trees below /tmp come once a cell has its own /tmp."""
        for tree, place in self._late.items():
            if folder.is_relative_to(tree):
                return place / folder.relative_to(tree)
        return _inside(self._root, folder)

    def _top_level(self, path: Path) -> None:
        target = _inside(self._root, path)
        if path.is_symlink():
            target.symlink_to(os.readlink(path))
        elif path.is_dir():
            _bind(path, self._root, _READ_ONLY)

    def _configuration(self, uid: int) -> None:
        etc = self._root / "etc"
        (etc / "passwd").write_text(f"contestant:x:{uid}:{uid}::/build/home:/bin/sh\n", encoding="ascii")
        (etc / "group").write_text(f"contestant:x:{uid}:\n", encoding="ascii")
        (etc / "nsswitch.conf").write_text("passwd: files\ngroup: files\n", encoding="ascii")
        if Path("/etc/ld.so.cache").is_file():
            shutil.copyfile("/etc/ld.so.cache", etc / "ld.so.cache")
        if Path("/etc/alternatives").is_dir():
            _bind(Path("/etc/alternatives"), self._root, _READ_ONLY)

    def build_folder(self, group: str, uid: int) -> Path:
        """What the cells of `group` see as /build, as the judge sees it; made, and owned by `uid`, at first use."""
        folder = self._builds / group
        if not folder.is_dir():
            for new in (folder, folder / "home"):
                new.mkdir(mode=0o755)
                if os.getuid() != uid:
                    os.chown(new, uid, uid)
        return folder

    def enter(self, group: str, *, scratch_bytes: int) -> None:
        """Make the image the root of this process, which is alone in its mount namespace and can mount.

        /build can be written in every stage: compilers take locks and numba tries to write before it reads. It
        belongs to the group alone and goes with the run.
        """
        root = self._root
        _tmpfs(root / "tmp", scratch_bytes, "1777")
        _tmpfs(root / "dev/shm", min(scratch_bytes, _SHM_BYTES), "1777", libc.MS_NOEXEC)
        for tree, place in self._late.items():
            _inside(root, tree).mkdir(parents=True)
            libc.mount(str(place), str(_inside(root, tree)), None, libc.MS_BIND | libc.MS_REC)
        libc.mount(str(self._builds / group), str(root / "build"), None, libc.MS_BIND)
        _restrict_one(root / "build", _PLAIN)
        # Read-only: the group's scheduling weight, the out-of-memory score and more can be written there.
        libc.mount("proc", str(root / "proc"), "proc", _PLAIN | libc.MS_NOEXEC | libc.MS_RDONLY)
        os.chdir(root)
        libc.pivot_root(".", ".")
        libc.unmount(".")
        os.chdir("/tmp")  # noqa: S108 (the cell's own)

    def close(self) -> None:
        """Unmount everything. Cells that still live keep what they see."""
        with contextlib.suppress(OSError):
            libc.unmount(str(self._base))


def _inside(root: Path, path: Path) -> Path:
    return root / path.relative_to("/")


def _tmpfs(target: Path, size: int, mode: str, flags: int = 0) -> None:
    options = f"mode={mode},size={size},nr_inodes={_MAX_FILES}"
    libc.mount("tmpfs", str(target), "tmpfs", _PLAIN | flags, options)


def _bind(source: Path, root: Path, attributes: int) -> None:
    """Show `source` at its own path below `root`, with all that is mounted in it."""
    target = _inside(root, source)
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        target.mkdir(exist_ok=True)
    else:
        target.touch()
    _bind_at(source, target, attributes)


def _bind_at(source: Path, target: Path, attributes: int) -> None:
    libc.mount(str(source), str(target), None, libc.MS_BIND | libc.MS_REC)
    libc.restrict_mounts(str(target), attributes)


def _restrict_one(target: Path, flags: int) -> None:
    libc.mount(None, str(target), None, libc.MS_REMOUNT | libc.MS_BIND | flags)
