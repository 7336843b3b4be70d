"""`kernelcup guard`, as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from guard.cli import register

app = typer.Typer()
register(app)
HONEST = "def custom_kernel(data):\n    return data.mean()\n"
CHEAT = "import time\n\ntime.perf_counter = lambda: 0.0\n"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["guard", *map(str, arguments)], env={"COLUMNS": "200"})


def test_an_honest_file_exits_with_0(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(HONEST)
    result = run("scan", tmp_path / "k.py")
    assert result.exit_code == 0
    assert "1 file scanned" in result.output
    assert "nothing found" in result.output


def test_a_note_alone_exits_with_0(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text("import os\nos.nice(1)\n")
    result = run("scan", tmp_path / "k.py")
    assert result.exit_code == 0
    assert "1 note" in result.output


def test_a_cheat_exits_with_1_and_is_shown_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(CHEAT)
    result = run("scan", tmp_path)
    assert result.exit_code == 1
    assert "3:1" in result.output
    assert "C21" in result.output
    assert "reject" in result.output


def test_json_names_file_rule_and_place(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(CHEAT)
    (tmp_path / "b.cu").write_text("void f() { raise(SIGCONT); }\n")
    (tmp_path / "notes.txt").write_text("SIGCONT")
    result = run("scan", tmp_path, "--json")
    assert result.exit_code == 1
    found = json.loads(result.output)
    assert found["files"] == 2
    assert [(Path(hit["file"]).name, hit["rule"], hit["line"]) for hit in found["hits"]] == [
        ("a.py", "clock.patched-host-clock", 3),
        ("b.cu", "clock.self-resume-native", 1),
    ]


@pytest.mark.parametrize("name", ["missing.py", "empty"])
def test_what_cannot_be_scanned_exits_with_2_and_says_why(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    result = run("scan", tmp_path / name)
    assert result.exit_code == 2
    assert "there " in result.output


def test_a_file_that_is_no_text_exits_with_2(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_bytes(b"\xff\xfe\x00")
    result = run("scan", tmp_path / "k.py")
    assert result.exit_code == 2
    assert "UTF-8" in result.output


def test_text_cannot_attack_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attack = "import time; time.time = '\x1b]0;owned\x07\x1b[2J[red]x[/red]\u202e'\n"
    (tmp_path / "k[bold].py").write_text(attack)
    monkeypatch.chdir(tmp_path)
    result = run("scan", ".")
    assert result.exit_code == 1
    assert "\x1b]0" not in result.output
    assert "\x07" not in result.output
    assert "\u202e" not in result.output
    assert "[red]x[/red]" in result.output
    assert "[bold]" in result.output


def test_rules_are_listed() -> None:
    result = run("rules", "--json")
    assert result.exit_code == 0
    assert "clock.patched-host-clock" in {rule["id"] for rule in json.loads(result.output)["list"]}
    assert run("rules").exit_code == 0
