"""`kernelcup judge` as a program: exit codes, errors that say what to do, JSON, replay."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from runners.sandbox.level import probe

HONEST = "def custom_kernel(x):\n    return x.mean().reshape(1)\n"


def judge(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    program = "from clients.cli import main; main()"
    command = [sys.executable, "-c", program, "judge", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.fixture
def honest(tmp_path: Path) -> Path:
    path = tmp_path / "mean.py"
    path.write_text(HONEST)
    return path


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (b"\xff\xfe\x00x", "not UTF-8"),
        (b"x = '\x00'\n", "null bytes"),
        (b"#" * 1_000_001, "at most 1,000,000"),
    ],
)
def test_a_file_that_is_no_submission_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "kernel.py"
    path.write_bytes(content)
    done = judge("basics/vector_mean", path)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert done.stdout == ""


def test_what_is_not_there_is_said_with_what_is(honest: Path, tmp_path: Path) -> None:
    done = judge("basics/no_such_problem", honest)
    assert done.returncode == 2
    assert "basics/vector_mean" in done.stderr
    assert judge("basics/vector_mean", tmp_path / "none.py").returncode == 2


@pytest.mark.skipif(bool(probe().missing()), reason="this host cannot run untrusted code")
def test_a_run_can_be_replayed_from_its_report(honest: Path, tmp_path: Path) -> None:
    first = judge("basics/vector_mean", honest, "--json")
    assert first.returncode == 0, first.stderr
    report = tmp_path / "report.json"
    report.write_text(first.stdout)
    again = judge("basics/vector_mean", honest, "--json", "--replay", report)
    one, two = json.loads(first.stdout), json.loads(again.stdout)
    assert one["nonce"] == two["nonce"]
    assert [case["error"] for case in one["cases"]] == [case["error"] for case in two["cases"]]
    fresh = json.loads(judge("basics/vector_mean", honest, "--json").stdout)
    assert fresh["nonce"] != one["nonce"]
    assert [case["error"] for case in fresh["cases"]] != [case["error"] for case in one["cases"]]


@pytest.mark.parametrize("content", [b"[]", b"{}", b"not json", b'{"nonce": "12"}', b'{"runs": []}', b'{"nonce": 3}'])
def test_a_replay_needs_a_report_with_a_nonce(honest: Path, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(content)
    done = judge("basics/vector_mean", honest, "--replay", path)
    assert done.returncode == 2
    assert "no report with a nonce" in " ".join(done.stderr.split())


@pytest.mark.skipif(bool(probe().missing()), reason="this host cannot run untrusted code")
def test_a_wrong_kernel_exits_with_one_and_its_terminal_codes_are_harmless(tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    path.write_text('def custom_kernel(x):\n    raise ValueError("\\x1b[2J[red]boo[/red]")\n')
    done = judge("basics/vector_mean", path)
    assert done.returncode == 1
    assert "\x1b[2J" not in done.stdout
    assert "[red]boo[/red]" in done.stdout
