"""The clients against the real application under uvicorn, on a real database; its workers' steps are taken by hand."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from typer.testing import CliRunner, Result

from clients import results
from clients.cli import app as cli_app
from clients.results import Event
from clients.sdk import ApiError, AsyncKernelCup, KernelCup
from runners.protocol import Report, Verdict, encode
from server import schemas
from server.main import create_app
from tests.server.conftest import make_settings, sqlite_template, sqlite_url  # noqa: F401
from tests.server.listening import listener, serving
from tests.server.service import BOARD, Service, failed, passed

SOURCE = "def custom_kernel(x):\n    return x.mean().reshape(1)\n"


@dataclasses.dataclass
class Live:
    """The running service and its address; `token` is Ann's."""

    service: Service
    url: str
    token: str

    def cup(self) -> KernelCup:
        return KernelCup(self.url, self.token)


@pytest.fixture
def changes() -> dict[str, object]:
    """Settings that a test wants otherwise."""
    return {}


@pytest.fixture
def live(sqlite_url: str, tmp_path: Path, changes: dict[str, object]) -> Iterator[Live]:  # noqa: F811
    with listener() as (listening, url):
        settings = make_settings(sqlite_url, tmp_path, public_url=url, **changes)
        app = create_app(settings)
        with serving(app, listening), httpx.Client(base_url=url, trust_env=False, timeout=120) as client:
            service = Service(app, settings, cast(Any, client))
            yield Live(service, url, service.author()["Authorization"].removeprefix("Bearer "))


def in_background(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def judge_next(live: Live, report: Report, decision: str | None = None) -> None:
    """Be the runner, and then the guard, of the next submission."""
    from guard.decide import Judgement
    from server.life.decide import record_judgement

    service = live.service
    service.runner(slots=100)
    end = time.monotonic() + 60
    while not (jobs := service.dispatch()):
        assert time.monotonic() < end
        time.sleep(0.02)
    (job,) = jobs
    service.start(job)
    events = [
        {"kind": "stage", "data": {"stage": "test", "total": 1}},
        {"kind": "case", "data": {"stage": "test", "index": 0, "label": "n: 5", "hidden": False, "status": "passed"}},
        {"kind": "progress", "data": {"stage": "time", "index": 0, "done": 3, "total": 30}},
    ]
    assert service.put(job, "events", {"events": events}).is_success
    assert service.put(job, "report", encode(report)).json() == {"recorded": True}
    if decision is not None:
        with service.sessions() as session:
            judgement = Judgement(outcome=decision, reason="as the test wants", hits=())
            assert record_judgement(session, job.run_id, judgement)
            session.commit()


def run_cli(live: Live, tmp_path: Path, *args: str, text: str = "") -> Result:
    env = {"KERNELCUP_URL": live.url, "KERNELCUP_TOKEN": live.token, "HOME": str(tmp_path)}
    return CliRunner().invoke(cli_app, list(args), env=env, input=text)


@pytest.fixture
def kernel(tmp_path: Path) -> str:
    (tmp_path / "kernel.py").write_text(SOURCE)
    return str(tmp_path / "kernel.py")


def test_a_ranked_submission_is_followed_onto_the_board(live: Live) -> None:
    seen: list[Event] = []
    with live.cup() as cup:
        submission = cup.submit(SOURCE, board=BOARD, file_name="mine.py")
        assert (submission.outcome, submission.done) == ("queued", False)
        runner = in_background(lambda: judge_next(live, passed(), "clean"))
        done = cup.wait(submission.id, seen.append, timeout=60)
        runner.join()
        assert (done.outcome, done.succeeded, done.source) == ("ranked", True, SOURCE)
        assert [event.kind for event in seen][:3] == ["queued", "dispatched", "running"]
        assert {"stage", "case", "progress", "verdict", "decided"} <= {event.kind for event in seen}
        assert [event.id for event in seen] == sorted({event.id for event in seen})
        rows = cup.rows(BOARD).rows
        assert [(row.author, row.submission_id, row.file_name) for row in rows] == [("ann", submission.id, "mine.py")]
        assert rows[0].speedup_low < rows[0].speedup < rows[0].speedup_high
        assert done.run is not None
        assert [case.label for case in done.run.cases if case.hidden] == ["family: spike"]
        assert cup.report(submission.id)["verdict"] == "passed"


def test_the_async_client_follows_too(live: Live) -> None:
    async def work() -> results.Submission:
        async with AsyncKernelCup(live.url, live.token) as cup:
            submission = await cup.submit(SOURCE, board=BOARD, mode="test")
            judging = asyncio.to_thread(judge_next, live, passed(), "clean")
            done, _ = await asyncio.gather(cup.wait(submission.id, timeout=60), judging)
            return done

    assert asyncio.run(work()).outcome == "passed"


@pytest.mark.parametrize("changes", [{"event_stream_seconds": 0.2}])
def test_a_stream_that_the_service_cuts_off_goes_on(live: Live) -> None:
    seen: list[Event] = []
    with live.cup() as cup:
        submission = cup.submit(SOURCE, board=BOARD, mode="test")
        waiting = in_background(lambda: cup.wait(submission.id, seen.append, timeout=60))
        time.sleep(1.0)
        judge_next(live, passed(), "clean")
        waiting.join(60)
    assert [event.kind for event in seen].count("queued") == 1
    assert "verdict" in [event.kind for event in seen]


def test_one_idempotency_key_is_one_submission(live: Live) -> None:
    with live.cup() as cup:
        first = cup.submit(SOURCE, board=BOARD, idempotency_key="k")
        assert cup.submit(SOURCE, board=BOARD, idempotency_key="k").id == first.id
        with pytest.raises(ApiError) as caught:
            cup.submit(SOURCE + "#", board=BOARD, idempotency_key="k")
        assert caught.value.status in (409, 422)
        assert [row.id for row in cup.submissions()] == [first.id]


@pytest.mark.parametrize("changes", [{"max_attempts": 1}])
@pytest.mark.parametrize(
    ("mode", "report", "decision", "outcome", "code"),
    [
        ("test", passed(), "clean", "passed", 0),
        ("ranked", passed(), "clean", "ranked", 0),
        ("ranked", passed(), "rejected", "rejected", 1),
        ("ranked", passed(), "review", "review", 1),
        ("test", failed(Verdict.WRONG, "index 3 is wrong"), "clean", "wrong", 1),
        ("benchmark", failed(Verdict.TIMEOUT), "clean", "timeout", 1),
        ("test", failed(Verdict.JUDGE_FAULT, "ours"), None, "judge fault", 3),
    ],
)
def test_the_command_exits_as_the_service_decides(
    live: Live, tmp_path: Path, kernel: str, mode: str, report: Report, decision: str | None, outcome: str, code: int
) -> None:
    runner = in_background(lambda: judge_next(live, report, decision))
    done = run_cli(live, tmp_path, "submit", kernel, "-b", BOARD, "-m", mode, "--timeout", "120")
    runner.join()
    assert done.exit_code == code, done.output
    assert done.stdout.startswith(outcome)
    assert "next: " in done.stdout
    if outcome == "wrong":
        assert "\nindex 3 is wrong\nwrong: test 1 (n: 5; family: normal)\n" in done.stdout


def test_a_queued_submission_is_cancelled(live: Live, tmp_path: Path, kernel: str) -> None:
    assert run_cli(live, tmp_path, "submit", kernel, "-b", BOARD, "--no-wait").exit_code == 0
    with live.cup() as cup:
        submission = cup.submissions()[0].id
    done = run_cli(live, tmp_path, "show", str(submission))
    assert "waiting: No runner for cpu" in done.stdout
    assert run_cli(live, tmp_path, "cancel", str(submission)).exit_code == 0
    assert run_cli(live, tmp_path, "watch", str(submission)).exit_code == 1
    assert run_cli(live, tmp_path, "watch", str(submission), "--json").stdout.count("\n") >= 2


@pytest.mark.parametrize(
    "args",
    [
        ("boards",), ("board", BOARD), ("problems",), ("problem", "basics/vector_mean"), ("submissions",), ("queue",),
    ],
    ids=" ".join,
)  # fmt: skip
def test_looking_works_in_words_and_json(live: Live, tmp_path: Path, args: tuple[str, ...]) -> None:
    live.service.decided({"Authorization": f"Bearer {live.token}"}, passed(), "clean")
    words, as_json = run_cli(live, tmp_path, *args), run_cli(live, tmp_path, *args, "--json")
    assert (words.exit_code, as_json.exit_code) == (0, 0), words.output + as_json.output
    assert words.stdout.strip()
    assert json.loads(as_json.stdout)


@pytest.mark.parametrize(
    ("source", "args", "words"),
    [
        (SOURCE, ("-b", "nowhere"), "nowhere"),
        ("#" * 1_000_001, ("-b", BOARD), "1000000"),
        ("x = '\0'", ("-b", BOARD), "NUL"),
        (SOURCE, ("-b", BOARD, "-m", "profile"), "not profile"),
    ],
)  # fmt: skip
def test_what_the_service_refuses_is_a_usage_error(
    live: Live, tmp_path: Path, source: str, args: tuple[str, ...], words: str
) -> None:
    done = run_cli(live, tmp_path, "submit", "-", *args, text=source)
    assert done.exit_code == 2
    assert words in done.stderr


@pytest.mark.parametrize("changes", [{"submissions_per_hour": 1}])
def test_a_used_up_allowance_says_when_to_try_again(live: Live, tmp_path: Path, kernel: str) -> None:
    assert run_cli(live, tmp_path, "submit", kernel, "-b", BOARD, "--no-wait").exit_code == 0
    done = run_cli(live, tmp_path, "submit", kernel, "-b", BOARD, "--no-wait")
    assert done.exit_code == 2
    assert "Try again in" in done.stderr


def test_others_see_nothing_before_it_is_ranked(live: Live) -> None:
    with live.cup() as cup:
        submission = cup.submit(SOURCE, board=BOARD)
    for token in (None, live.service.author("bob")["Authorization"].removeprefix("Bearer ")):
        with KernelCup(live.url, token) as other, pytest.raises(ApiError) as caught:
            other.submission(submission.id)
        assert caught.value.status == 404


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (results.Me, schemas.Me), (results.CaseShape, schemas.CaseShape), (results.Problem, schemas.ProblemOut),
        (results.Board, schemas.BoardOut), (results.Standing, schemas.Standing), (results.BoardRows, schemas.BoardRows),
        (results.Timing, schemas.TimingOut), (results.Case, schemas.CaseOut), (results.Finding, schemas.FindingOut),
        (results.Run, schemas.RunOut), (results.Submission, schemas.SubmissionOut), (results.Queue, schemas.QueueOut),
        (results.SubmissionRow, schemas.SubmissionRow),
    ],
)  # fmt: skip
def test_results_have_the_fields_that_the_service_shows(ours: type, theirs: Any) -> None:
    assert {item.name for item in dataclasses.fields(ours)} == set(theirs.model_fields)
