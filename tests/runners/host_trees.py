"""Trees of files like a host's ``/proc`` and ``/sys``, for tests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from runners.host_files import HostFiles


def host(root: Path, files: Mapping[str, str]) -> HostFiles:
    """A host with these files, by absolute path."""
    for path, text in files.items():
        file = root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return HostFiles(root)


def cache_files(core: int, caches: Mapping[str, tuple[int, str, str, str]]) -> dict[str, str]:
    """Files of a core's caches: index name to (level, type, size, cores that share it)."""
    files = {}
    for index, (level, kind, size, shared) in caches.items():
        folder = f"/sys/devices/system/cpu/cpu{core}/cache/{index}"
        files |= {
            f"{folder}/level": f"{level}\n",
            f"{folder}/type": f"{kind}\n",
            f"{folder}/size": f"{size}\n",
            f"{folder}/shared_cpu_list": f"{shared}\n",
        }
    return files
