from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections import deque
from pathlib import Path
from typing import Any

import pytest

from clients import progress
from tests.clients.conftest import Cli, Quick
from tests.clients.contract_service import (
    TOKEN,
    ContractService,
    Drop,
    Refuse,
    Streamed,
    board,
    case,
    problem_details,
    run,
    sse,
    submission,
    timing,
)

HOSTILE = "[bold red]x[/] \x1b[2J\x1b]0;t\x07\u202e:boom: " + "y" * 20
ESCAPES = re.compile("[\x1b\x9b\x07\u202e]")


def becomes(service: ContractService, outcome: str, mode: str = "ranked", **of_run: Any) -> None:
    """What submission 7 comes to."""
    service.answers["/submissions/7"] = submission(outcome=outcome, mode=mode, runs=[run(mode=mode, **of_run)])
    service.streams.append(
        Streamed(
            [
                sse(1, "queued", {"device": "cpu"}),
                sse(2, "dispatched", {}),
                sse(3, "stage", {"stage": "test", "total": 2}),
                sse(4, "case", {"stage": "test", "index": 0, "label": "n: 5", "hidden": False, "status": "passed"}),
                sse(5, "progress", {"stage": "test", "index": 1, "done": 1, "total": 2}),
                sse(6, "case", {"stage": "test"}),
                sse(7, "verdict", {"verdict": "passed", "message": ""}),
                sse(8, "end", {}),
            ]
        )
    )


@pytest.mark.parametrize(
    ("outcome", "mode", "code"),
    [
        ("ranked", "ranked", 0),
        ("passed", "test", 0),
        ("passed", "benchmark", 0),
        ("passed", "ranked", 1),
        ("wrong", "test", 1),
        ("error", "test", 1),
        ("timeout", "benchmark", 1),
        ("memory", "test", 1),
        ("crashed", "ranked", 1),
        ("rejected", "ranked", 1),
        ("review", "ranked", 1),
        ("cancelled", "ranked", 1),
        ("judge_fault", "test", 3),
    ],
)
def test_submit_waits_and_exits_as_it_came_out(
    service: ContractService, quick: Quick, kernel: Path, outcome: str, mode: str, code: int
) -> None:
    becomes(service, outcome, mode)
    done = quick("submit", str(kernel), "--board", "vector_mean-cpu", "--mode", mode)
    assert done.exit_code == code, done.stderr
    assert outcome.replace("_", " ") in done.stdout.splitlines()[0]
    assert "next: Do something." in done.stdout
    assert f"{mode})" in done.stderr.splitlines()[0]
    assert next(iter(service.made.values()))["_source"] == kernel.read_text()


def test_plain_progress_goes_to_stderr_a_line_an_event(service: ContractService, quick: Quick, kernel: Path) -> None:
    becomes(service, "ranked")
    done = quick("submit", str(kernel), "-b", "vector_mean-cpu")
    assert done.stderr.splitlines() == [
        "submission 7 on vector_mean-cpu (ranked)",
        "number 2 in the queue for cpu",
        "queued",
        "sent to a runner",
        "test: 2 cases",
        "  test 1 of 2: n: 5: passed",
        "  test 2 of 2",
        "judged: passed",
    ]


def test_the_failing_case_comes_first_with_its_message_and_findings_with_advice(
    service: ContractService, quick: Quick, kernel: Path
) -> None:
    cases = [case(), case(index=1, label="n: 17", status="wrong", message="index 3: expected 1.0,\ngot 2.0", error=900)]
    finding = {
        "family": "B", "effect": "reject", "message": "reads the clock", "advice": "do not", "line": 12, "column": 4,
    }  # fmt: skip
    becomes(service, "wrong", cases=cases, findings=[finding], output="printed\n" * 3, message="1 of 2 cases failed")
    done = quick("submit", str(kernel), "-b", "vector_mean-cpu")
    lines = done.stdout.splitlines()
    assert "1 of 2 cases failed" in lines
    assert "wrong: test 2 (n: 17)" in lines
    assert lines[lines.index("wrong: test 2 (n: 17)") + 1 :][:2] == ["  index 3: expected 1.0,", "  got 2.0"]
    rows = [text for text in lines if text.startswith("test ")]
    assert ["wrong" in text for text in rows] == [True, False]
    assert "900" in rows[0]
    assert "guard (B, reject): line 12: reads the clock" in lines
    assert "  what to do: do not" in lines
    assert lines.count("  printed") == 3


def test_times_share_a_unit_and_show_their_interval(service: ContractService, quick: Quick) -> None:
    cases = [
        case(stage="time", label="n: 1", timing=timing(seconds=5.123e-6)),
        case(stage="time", label="spike", hidden=True, timing=timing(seconds=1.5e-3, noisy=True)),
    ]
    becomes(service, "ranked", cases=cases)
    done = quick("watch", "7")
    assert done.exit_code == 0
    assert re.search(r"stage +case +result +error +µs +speed-up +95 % +of floor", done.stdout)
    assert re.search(r"time +n: 1 +passed +0.01 +5.12 +1.84× +1.80–1.88 +50 %", done.stdout)
    assert re.search(r"time +hidden: spike +passed +0.01 +1500 +~1.84×", done.stdout)
    assert "1.84× as fast as the reference (1.80–1.88), 120 µs" in done.stdout


def test_json_is_one_object_on_stdout_and_nothing_else(service: ContractService, cli: Cli, kernel: Path) -> None:
    becomes(service, "wrong", message=HOSTILE)
    done = cli("submit", str(kernel), "-b", "vector_mean-cpu", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["runs"][0]["message"] == HOSTILE
    assert done.stdout.isascii()
    assert not ESCAPES.search(done.stdout)
    assert done.stderr == ""


def test_no_wait_returns_at_once(service: ContractService, quick: Quick, kernel: Path) -> None:
    done = quick("submit", str(kernel), "-b", "vector_mean-cpu", "--no-wait")
    assert (done.exit_code, done.stdout) == (0, "submission 7: queued; follow it with `kernelcup watch 7`\n")
    done = quick("submit", str(kernel), "-b", "vector_mean-cpu", "--no-wait", "--json")
    assert json.loads(done.stdout)["outcome"] == "queued"
    assert "GET /submissions/7/events" not in service.paths()


def test_watch_json_is_a_line_an_event_and_then_the_result(service: ContractService, quick: Quick) -> None:
    becomes(service, "judge_fault", fault="ours")
    done = quick("watch", "7", "--json")
    lines = [json.loads(text) for text in done.stdout.splitlines()]
    assert done.exit_code == 3
    assert [entry["kind"] for entry in lines][:2] == ["queued", "dispatched"]
    assert lines[-1]["kind"] == "result"
    assert lines[-1]["data"]["outcome"] == "judge_fault"


def test_the_file_may_name_the_board(service: ContractService, quick: Quick, kernel: Path) -> None:
    service.answers["/boards/qr-cpu"] = board("qr-cpu")
    kernel.write_text("#!KERNELCUP board qr-cpu\n" + kernel.read_text())
    assert quick("submit", str(kernel), "--no-wait").exit_code == 0
    assert next(iter(service.made.values()))["board"] == "qr-cpu"


def test_without_a_board_the_only_open_one_is_taken_and_said(
    service: ContractService, quick: Quick, kernel: Path
) -> None:
    service.answers["/boards"] = [board(), board("old-cpu", is_open=False)]
    done = quick("submit", str(kernel), "--no-wait")
    assert done.exit_code == 0
    assert "vector_mean-cpu, the only one open" in done.stderr


def test_without_a_board_several_are_listed(service: ContractService, quick: Quick, kernel: Path) -> None:
    service.answers["/boards"] = [board(), board("qr-cpu")]
    done = quick("submit", str(kernel))
    assert done.exit_code == 2
    assert "vector_mean-cpu, qr-cpu" in done.stderr
    assert not service.made


def test_a_kernel_may_come_from_standard_input(service: ContractService, quick: Quick) -> None:
    assert quick("submit", "-", "-b", "vector_mean-cpu", "--no-wait", text="x = 1\n").exit_code == 0
    assert next(iter(service.made.values()))["_source"] == "x = 1\n"


@pytest.mark.parametrize(
    ("content", "words"), [(None, "No such file"), (b" \n", "is empty"), (b"x = '\xff'", "byte 5 is 0xff")]
)
def test_a_bad_file_is_a_usage_error(
    service: ContractService, quick: Quick, tmp_path: Path, content: bytes | None, words: str
) -> None:
    path = tmp_path / "bad.py"
    if content is not None:
        path.write_bytes(content)
    done = quick("submit", str(path), "-b", "vector_mean-cpu")
    assert done.exit_code == 2
    assert words in done.stderr
    assert service.requests == []


@pytest.mark.parametrize(
    "args",
    [
        (), ("nonsense",), ("submit",), ("submit", "kernel.py", "--mode", "fast"), ("show", "x"), ("show", "0"),
        ("submit", ".", "-b", "b"), ("submit", "kernel.py", "-b", "nowhere"), ("board", "nowhere"),
        ("problem", "no/where"),
        ("problem", "basics/vector_mean", "--starter", "none"), ("show", "99"), ("submissions", "--limit", "0"),
    ],
)  # fmt: skip
def test_usage_errors_exit_with_2(service: ContractService, quick: Quick, kernel: Path, args: tuple[str, ...]) -> None:
    done = quick(*args)
    assert done.exit_code == 2
    assert done.stderr or "Usage" in done.stdout
    assert "Traceback" not in done.stderr


def test_not_logged_in_says_how(service: ContractService, cli: Cli, kernel: Path, clean_environment: Any) -> None:
    done = cli("boards", env=clean_environment)
    assert done.returncode == 2
    assert "kernelcup login" in done.stderr
    done = cli("submit", str(kernel), "-b", "b", env={**clean_environment, "KERNELCUP_URL": service.url})
    assert (done.returncode, service.requests) == (2, [])
    assert f"not logged in at {service.url}" in done.stderr
    wrong = {**clean_environment, "KERNELCUP_URL": service.url, "KERNELCUP_TOKEN": "kc_wrong"}
    done = cli("submissions", "--json", env=wrong)
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["code"] == "unauthorized"
    assert "kc_wrong" not in done.stdout + done.stderr


def test_our_faults_exit_with_3(service: ContractService, cli: Cli, clean_environment: Any) -> None:
    service.fail("/boards", Refuse(500))
    done = cli("boards", "--json")
    assert done.returncode == 3
    assert json.loads(done.stdout)["error"] == {
        "code": "some_code", "title": "Some title", "detail": "Some detail.", "status": 500,
    }  # fmt: skip
    service.fail("/boards", *[Drop()] * 9)
    done = cli("boards")
    assert done.returncode == 3
    assert "kernelcup up" in done.stderr


def test_a_failure_of_the_client_itself_is_ours_too(cli: Cli, environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import clients.render as r\nr.queues = lambda *a: 1 / 0\n")
    broken = {**environment, "PYTHONPATH": f"{tmp_path}{os.pathsep}{environment['PYTHONPATH']}"}
    done = cli("queue", env=broken)
    assert done.returncode == 3
    assert "ZeroDivisionError" in done.stderr


def test_a_timeout_leaves_the_submission_alone(service: ContractService, cli: Cli, kernel: Path) -> None:
    service.streams.append(Streamed([sse(1, "queued", {})], hang_seconds=30))
    done = cli("submit", str(kernel), "-b", "vector_mean-cpu", "--timeout", "0.5")
    assert done.returncode == 3
    assert "kernelcup watch 7" in done.stderr
    assert "POST /submissions/7/cancel" not in service.paths()


def test_an_interrupt_leaves_the_submission_alone(
    service: ContractService, environment: dict[str, str], kernel: Path
) -> None:
    service.streams.append(Streamed([sse(1, "queued", {})], hang_seconds=60))
    command = [sys.executable, "-m", "clients.cli", "submit", str(kernel), "-b", "vector_mean-cpu"]

    def listen() -> None:
        # Whoever runs the tests in the background ignores interrupts, and so would their children.
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, preexec_fn=listen) as process:
        assert process.stderr is not None
        shown = iter(process.stderr.readline, "")
        assert any(text == "queued\n" for text in shown)
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        assert process.wait(30) == 130
    assert "submission 7 goes on" in rest
    assert "Traceback" not in rest


def test_a_reader_that_leaves_is_no_verdict(service: ContractService, environment: dict[str, str]) -> None:
    service.answers["/boards"] = [board(f"b{n}") for n in range(5000)]
    command = [sys.executable, "-m", "clients.cli", "boards", "--json"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.wait(30) == 141
        assert process.stderr.read() == b""


LOOKING = [
    ("boards",), ("board", "vector_mean-cpu"), ("problems",), ("problem", "basics/vector_mean"), ("submissions",),
    ("show", "7"), ("queue",), ("watch", "7"), ("cancel", "7"),
]  # fmt: skip


def hostile(value: Any) -> Any:
    """`value` with every text that the client does not act on replaced."""
    if isinstance(value, dict):
        kept = ("mode", "created_at", "queued_at", "opens_at", "submitted_at")
        return {
            key if key != "pytorch.py" else HOSTILE: item if key in kept else hostile(item)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [hostile(item) for item in value]
    return HOSTILE if isinstance(value, str) else value


@pytest.mark.parametrize("args", LOOKING, ids=" ".join)
def test_hostile_text_stays_text(service: ContractService, quick: Quick, args: tuple[str, ...]) -> None:
    row = {
        "rank_low": 2, "rank_high": 4, "submission_id": 7, "run_id": 70, "author": "a", "file_name": "f",
        "speedup": 2.0, "speedup_low": 1.9, "speedup_high": 2.1, "seconds": 1e-4, "floor_share": 0.5,
        "noisy": True, "lines": 3, "submitted_at": "2026-01-02T03:04:05Z",
    }  # fmt: skip
    service.answers["/boards/vector_mean-cpu/rows"] = {"board": board(), "rows": [row]}
    finding = {"family": "B", "effect": "e", "message": "m", "advice": "a", "line": 1, "column": 1}
    case_wrong = case(status="wrong", message="m")
    full = run(
        cases=[case_wrong, case(timing=timing())], findings=[finding], output="o", message="m", nonce="n",
        environment={"python": "3"}, level={"stop": "yes"}, waiting_reason="w", state="queued",
    )  # fmt: skip
    service.answers["/submissions/7"] = submission(runs=[full], done=True)
    for path in list(service.answers):
        service.answers[path] = hostile(service.answers[path])
    done = quick(*args)
    assert done.exit_code in (0, 1), done.stderr
    assert not ESCAPES.search(done.stdout + done.stderr)
    assert args[0] == "cancel" or "[bold red]x[/]" in done.stdout
    as_json = quick(*args, "--json")
    assert as_json.stdout.isascii()
    assert not ESCAPES.search(as_json.stdout)


def test_hostile_errors_and_events_stay_text(service: ContractService, quick: Quick) -> None:
    body = json.dumps(problem_details(404, HOSTILE, HOSTILE, HOSTILE)).encode()
    service.fail("/boards", Refuse(404, body=body))
    done = quick("boards")
    assert not ESCAPES.search(done.stdout + done.stderr)
    assert "[bold red]x[/]" in done.stderr
    service.answers["/submissions/7"] = submission(outcome="running")
    service.streams.append(
        Streamed(
            [
                sse(1, HOSTILE, {}),
                sse(2, "stage", {"stage": HOSTILE, "total": "many"}),
                sse(3, "case", {"stage": [HOSTILE], "label": {"a": HOSTILE}, "status": HOSTILE}),
                sse(4, "requeued", {"reason": HOSTILE}),
                sse(5, "progress", {"done": -1, "total": 0}),
                sse(6, "end", {}),
            ]
        )
    )
    service.fail("/submissions/7", None)
    done = quick("watch", "7", "--timeout", "3")
    assert not ESCAPES.search(done.stdout + done.stderr)
    assert "queued again, by no fault of yours: [bold red]x[/]" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_terminal_shows_progress_in_place(
    service: ContractService, environment: dict[str, str], kernel: Path
) -> None:
    becomes(service, "ranked", cases=[case()])
    service.streams[0].chunks.insert(3, b": wait\n\n")
    screen, terminal = pty.openpty()
    env = {**environment, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"}
    command = [sys.executable, "-m", "clients.cli", "submit", str(kernel), "-b", "vector_mean-cpu"]
    with subprocess.Popen(command, env=env, stdin=terminal, stdout=terminal, stderr=terminal) as process:
        os.close(terminal)
        shown = _all_of(screen)
        assert process.wait(30) == 0
    assert "submission 7 on vector_mean-cpu (ranked)" in shown
    assert "\x1b[" in shown
    assert "next: " in shown


def _all_of(screen: int) -> str:
    shown, end = b"", time.monotonic() + 60
    while time.monotonic() < end:
        try:
            part = os.read(screen, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(screen)
    return shown.decode()


def test_sources_reach_files_as_they_are(service: ContractService, cli: Cli) -> None:
    service.answers["/submissions/7"] = submission(source="# \x1b[31m\r\nx = 1\n")
    assert cli("show", "7", "--source").stdout == "# \x1b[31m\nx = 1\n"  # universal newlines of the pipe's reader
    for name in ("pytorch", "pytorch.py"):
        assert cli("problem", "basics/vector_mean", "--starter", name).stdout == "import torch\n"
    assert cli("problem", "basics/vector_mean", "--reference").stdout == "ref\n"
    assert json.loads(cli("show", "7", "--report").stdout) == {"verdict": "passed"}


def test_many_passed_tests_are_folded_but_not_in_show(service: ContractService, quick: Quick) -> None:
    cases = [case(index=n, label=f"n: {n}", error=1e-9) for n in range(5)]
    cases.append(case(stage="time", label="spike", hidden=True, timing=timing()))
    becomes(service, "ranked", cases=[*cases, case(index=5, label="n: 99", status="wrong")])
    done = quick("watch", "7").stdout.splitlines()
    assert "5 cases passed (each in `kernelcup show`)" in done
    assert [text.split()[0] for text in done if text.startswith(("test", "time"))] == ["test", "time"]
    assert len(re.findall(r"^test +n: \d +passed +<0.001", quick("show", "7").stdout, re.MULTILINE)) == 5


def test_a_message_is_said_once_and_on_one_line(service: ContractService, quick: Quick) -> None:
    words = "Wrong answer in test case 1: " + "word " * 60 + "end"
    becomes(service, "wrong", message=words, cases=[case(status="wrong", message=words)])
    assert quick("watch", "7").stdout.splitlines().count(words) == 1


def test_the_place_in_the_queue_is_kept_up_to_date(
    service: ContractService, quick: Quick, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "LOOK_SECONDS", 0.02)
    places = [run(state="queued", position=n, eta_seconds=60 * n) for n in (3, 3, 2)]
    nobody = run(state="queued", position=1, waiting_reason="No runner is connected.")
    answers = [submission(outcome="queued", runs=[place]) for place in (*places, nobody)]
    service.answers["/submissions/7"] = deque([*answers, submission()])
    service.streams.append(Streamed([sse(1, "queued", {})], hang_seconds=1.5))
    service.streams.append(Streamed([sse(2, "end", {})]))
    done = quick("watch", "7")
    assert done.exit_code == 0
    assert [text for text in done.stderr.splitlines()[1:] if text != "queued"] == [
        "number 3 in the queue for cpu, about 3 min",
        "number 2 in the queue for cpu, about 2 min",
        "waiting: No runner is connected.",
    ]


def test_bare_case_lines_are_few(service: ContractService, quick: Quick) -> None:
    service.answers["/submissions/7"] = submission(outcome="running")
    bare = [sse(n, "case", {"stage": "test"}) for n in range(2, 22)]
    wrong = sse(30, "case", {"stage": "test", "label": "n: 5", "status": "wrong"})
    stage = sse(1, "stage", {"stage": "test", "total": 21})
    service.streams.append(Streamed([stage, *bare, wrong, sse(31, "end", {})]))
    done = quick("watch", "7", "--timeout", "2")
    assert done.stderr.splitlines()[1:3] == ["test: 21 cases", "  test 21 of 21: n: 5: wrong"]


def test_an_empty_list_says_so(service: ContractService, quick: Quick) -> None:
    service.answers["/submissions"] = []
    done = quick("submissions")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "nothing there yet\n")
    assert json.loads(quick("submissions", "--json").stdout) == []


def test_version_and_help_need_no_service(cli: Cli, clean_environment: dict[str, str]) -> None:
    assert re.fullmatch(r"kernelcup \S+\n", cli("--version", env=clean_environment).stdout)
    done = cli("submit", "--help", env=clean_environment)
    assert done.returncode == 0
    assert "3 our fault" in " ".join(done.stdout.split())


def test_clients_import_neither_torch_nor_our_other_packages(environment: dict[str, str]) -> None:
    code = (
        "import sys, clients.cli, clients.sdk\n"
        "ours = {'server', 'runners', 'problems', 'guard', 'web', 'torch'} & {m.split('.')[0] for m in sys.modules}\n"
        "print(*ours)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("\n", "")


def test_tokens_never_show(service: ContractService, quick: Quick, kernel: Path) -> None:
    for args in (("boards",), ("submit", str(kernel), "-b", "nowhere"), ("show", "99"), ("submissions", "--json")):
        done = quick(*args)
        assert TOKEN not in done.stdout + done.stderr
