"""Builds kept across runs: what is handed on, to whom, and what is not."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest

from runners.host import HostSettings
from runners.judge.builds import BuildStore
from runners.judge.local import judge
from runners.protocol import Brief, Limits, Mode, Report, Verdict
from runners.sandbox.warm import WarmServer
from tests.cheats.judging import small_problem
from tests.runners.jit.conftest import HIDDEN

MEAN = "def custom_kernel(x):\n    return x.double().mean().float().reshape(1)\n"
MARK = """
import os
from pathlib import Path
FOUND = sorted(path.name for path in Path("/build").glob("mark*"))
print("found", FOUND)
Path("/build/mark").write_text("x")
"""


class Host:
    """Runs on one host, which keeps builds."""

    def __init__(self, warm: WarmServer, folder: Path, most_bytes: int = 64 << 20) -> None:
        self.warm = warm
        self.problems = folder / "problems"
        self.store = BuildStore(str(folder / "builds"), most_bytes)

    def run(self, source: str, mode: Mode = Mode.TEST) -> Report:
        problem = small_problem("basics/vector_mean", self.problems)
        hidden = HIDDEN if mode is Mode.RANKED else ()
        brief = Brief(mode, str(problem), source, "kernel.py", secrets.token_hex(32), Limits(case_seconds=0.2), hidden)
        return judge(brief, warm=self.warm, builds=self.store)

    def entries(self) -> list[Path]:
        folder = Path(self.store.folder)
        return sorted(folder.iterdir()) if folder.is_dir() else []


@pytest.fixture
def host(warm: WarmServer, tmp_path: Path) -> Host:
    return Host(warm, tmp_path)


def test_the_same_submission_finds_its_build_again_in_any_mode(host: Host) -> None:
    first = host.run(MARK + MEAN)
    assert first.verdict is Verdict.PASSED, (first.message, first.detail)
    assert "found []" in first.output
    assert "found ['mark']" in host.run(MARK + MEAN).output
    assert "found ['mark']" in host.run(MARK + MEAN, Mode.BENCHMARK).output
    assert len(host.entries()) == 1


def test_another_submission_finds_nothing_however_alike_it_is(host: Host) -> None:
    host.run(MARK + MEAN)
    assert "found []" in host.run(MARK + MEAN + "\n").output
    assert len(host.entries()) == 2


def test_the_same_submission_to_another_problem_package_finds_nothing(host: Host) -> None:
    host.run(MARK + MEAN)
    with (host.problems / "basics/vector_mean/task.yml").open("a") as task:
        task.write("\n# another\n")
    assert "found []" in host.run(MARK + MEAN).output


def test_a_submission_that_fails_its_tests_leaves_nothing(host: Host) -> None:
    assert host.run(MARK + "def custom_kernel(x):\n    return x.sum().reshape(1)\n").verdict is Verdict.WRONG
    assert host.entries() == []


GROWING = MARK.replace('Path("/build/mark")', 'Path(f"/build/mark{len(FOUND)}")')


def test_an_entry_never_changes_so_that_nothing_is_gained_run_by_run(host: Host) -> None:
    host.run(GROWING + MEAN)
    kept = [path.read_bytes() for path in host.entries()]
    for _ in range(2):
        assert "found ['mark0']\n" in host.run(GROWING + MEAN).output
    assert [path.read_bytes() for path in host.entries()] == kept


LOGGING = """
from pathlib import Path
print("seen", sorted(path.name for path in Path("/build").glob("seen-*")))


def custom_kernel(x):
    Path(f"/build/seen-{x.numel()}").touch()
    return x.double().mean().float().reshape(1)
"""


def test_what_a_ranked_run_learns_of_timed_shapes_is_in_no_later_run(host: Host) -> None:
    ranked = host.run(LOGGING, Mode.RANKED)
    assert ranked.verdict is Verdict.PASSED, (ranked.message, ranked.detail)
    seen = host.run(LOGGING).output
    assert "seen-1023" in seen
    assert "seen-66003" not in seen
    assert "seen-65536" not in seen


def test_a_damaged_entry_counts_as_none_and_is_made_anew(host: Host) -> None:
    host.run(MARK + MEAN)
    (entry,) = host.entries()
    whole = entry.read_bytes()
    for damaged in (b"", whole[:100], whole[:-1], whole[:40] + bytes([whole[40] ^ 1]) + whole[41:]):
        entry.write_bytes(damaged)
        report = host.run(MARK + MEAN)
        assert report.verdict is Verdict.PASSED
        assert "found []" in report.output
        assert host.entries() == [entry]
        assert "found ['mark']" in host.run(MARK + MEAN).output


FAILS_ON_ITS_OWN_BUILD = 'import os\nassert not os.path.exists("/build/mark")\n' + MARK + MEAN


def test_a_failure_on_a_kept_build_is_not_the_authors_and_the_next_run_starts_from_scratch(host: Host) -> None:
    assert host.run(FAILS_ON_ITS_OWN_BUILD).verdict is Verdict.PASSED
    assert host.run(FAILS_ON_ITS_OWN_BUILD).verdict is Verdict.JUDGE_FAULT
    assert host.entries() == []
    assert host.run(FAILS_ON_ITS_OWN_BUILD).verdict is Verdict.PASSED


HOSTILE = """
import os
from pathlib import Path
NAMES = ["link", "folder-link", "setuid", "cycle"]
FOUND = [name for name in NAMES if os.path.lexists(f"/build/{name}")]
print("found", FOUND)
if not FOUND and not os.path.exists("/build/mark"):
    os.symlink("/etc/passwd", "/build/link")
    os.symlink("/", "/build/folder-link")
    os.symlink("cycle", "/build/cycle")
    Path("/build/setuid").write_text("x")
    os.chmod("/build/setuid", 0o6755)
    os.makedirs("/build/" + "/".join("d" * 40))
    with open(b"/build/\\xff", "w"):
        pass
    Path("/build/mark").write_text("x")
print("mode", oct(os.stat("/build/setuid").st_mode & 0o7777), os.stat("/build/setuid").st_uid == os.getuid())
"""


def test_links_and_modes_of_a_hostile_build_are_not_kept(host: Host) -> None:
    first = host.run(HOSTILE + MEAN)
    assert first.verdict is Verdict.PASSED, (first.message, first.detail)
    second = host.run(HOSTILE + MEAN)
    assert "found ['setuid']\nmode 0o755 True" in second.output, second.output


@pytest.mark.parametrize(
    "litter",
    [
        'os.truncate(os.open("/build/hole", os.O_CREAT | os.O_WRONLY), 500 << 20)',
        "[os.mkdir(f'/build/{n}') for n in range(5000)]",
    ],
    ids=["a file with a hole", "many folders"],
)
def test_a_build_that_is_too_large_is_not_kept(host: Host, litter: str) -> None:
    report = host.run(f"import os\nopen('/build/x', 'w').close()\n{litter}\n" + MEAN)
    assert report.verdict is Verdict.PASSED, (report.message, report.detail)
    assert host.entries() == []


def test_a_submission_that_builds_nothing_takes_no_room(host: Host) -> None:
    assert host.run(MEAN).verdict is Verdict.PASSED
    assert host.entries() == []


def test_the_least_recently_used_entries_go_when_there_is_no_room(warm: WarmServer, tmp_path: Path) -> None:
    host = Host(warm, tmp_path, most_bytes=1 << 20)
    fill = MARK + 'Path("/build/big").write_bytes(bytes(400_000))\n' + MEAN
    for number in (1, 2):
        host.run(fill + f"# {number}\n")
    assert "found ['mark']" in host.run(fill + "# 1\n").output
    host.run(fill + "# 3\n")
    assert len(host.entries()) == 2
    assert "found ['mark']" in host.run(fill + "# 1\n").output
    assert "found []" in host.run(fill + "# 2\n").output


NARROW = """
import ctypes
import os
import torch
from torch.utils.cpp_extension import load_inline

SOURCE = '''
#include <torch/csrc/stable/library.h>
extern "C" double total(const float* x, long n) {
    double sum = 0;
    for (long i = 0; i < n; ++i) sum += x[i];
    return sum;
}
'''
PATH = load_inline("narrow", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
TOTAL = ctypes.CDLL(PATH).total
TOTAL.restype = ctypes.c_double
print("built at", os.stat(PATH).st_mtime_ns)


def custom_kernel(x):
    total = TOTAL(ctypes.c_void_p(x.data_ptr()), ctypes.c_long(x.numel()))
    return torch.tensor([total / x.numel()], dtype=torch.float32)
"""


def test_an_extension_is_not_compiled_again(host: Host) -> None:
    first, second = host.run(NARROW), host.run(NARROW)
    assert first.verdict is second.verdict is Verdict.PASSED, (first.message, second.message, second.detail)
    assert "built at" in first.output
    assert first.output == second.output


def test_a_runner_keeps_builds_unless_it_is_given_no_room(tmp_path: Path) -> None:
    common = {"runner_key": "k" * 32, "broker_url": "redis://broker", "runner_dir": tmp_path, "runner_name": "r"}
    assert HostSettings(**common).builds == BuildStore(str(tmp_path / "r" / "builds"), 2 << 30)
    assert HostSettings(**common, kept_builds_bytes=0).builds is None
