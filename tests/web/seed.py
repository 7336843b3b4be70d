"""A small, busy service in a database: every outcome that a page has to show, with hostile names and texts."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import timedelta

from sqlalchemy.orm import Session

from problems.spec import HiddenSpec, OutputSpec, OutputTensor, ProblemSpec, to_json
from runners.protocol import CaseResult, Evidence, Mode, Report, Score, Stage, Timing, Verdict, encode
from server.models import (
    Board,
    Decision,
    DecisionOutcome,
    Finding,
    Problem,
    Run,
    RunnerHost,
    RunState,
    Submission,
    SubmissionEvent,
    User,
    utc_now,
)

HOSTILE = "<script>alert(1)</script>"
HOSTILE_NAME = "eve<img src=x onerror=alert(1)>"
BIDI = "\u202egnihtemos"
HIDDEN_LABEL = "n: 1048573; family: spike"
SECRET_NUMBER = "1048573"

HONEST = '''"""Mean of a vector, two passes."""
import torch


def custom_kernel(data: torch.Tensor) -> torch.Tensor:
    # Sum in float64, so that cancellation does not eat the digits.
    total = data.sum(dtype=torch.float64)
    return (total / data.numel()).to(torch.float32).reshape(1)
'''

CHEAT = f'''import torch

_CACHE = {{}}
NAME = "{HOSTILE}"


def custom_kernel(data):
    key = data.data_ptr()
    if key not in _CACHE:
        _CACHE[key] = data.mean().reshape(1)
    return _CACHE[key]
'''

STATEMENT = f"""Return the mean of a float32 vector as a tensor of one element.

## Input

A contiguous `float32` tensor of length `n`, on the board's device. Values come from one of these families:

| family | values |
|---|---|
| normal | independent standard normal |
| spike | zero but for one large element |

## Rules

- Any algorithm is allowed; the error is measured against a float64 sum.
- The result is wrong if it is off by more than *16 eps* times the mean of the absolute values.

```python
def custom_kernel(data: torch.Tensor) -> torch.Tensor:
    return data.mean().reshape(1)
```

{HOSTILE} and [a link](javascript:alert(1)) and [another](https://example.org/).
"""


def problem_spec() -> ProblemSpec:
    """The vector mean as a problem package would state it."""
    return ProblemSpec(
        slug="basics/vector_mean",
        title="Vector mean",
        summary="Return the mean of a float32 vector, from a thousand elements to sixteen million.",
        statement=STATEMENT,
        lang="py",
        description="",
        files={"submission.py": "@SUBMISSION@"},
        main="eval.py",
        config={},
        tests=({"n": 1, "family": "normal"}, {"n": 1000, "family": "spike"}, {"n": 65537, "family": "normal"}),
        benchmarks=({"n": 1048576, "family": "normal"}, {"n": 16777216, "family": "normal"}),
        hidden=(HiddenSpec({"n": (1000000, 1100000), "family": "spike"}),),
        test_timeout=60.0,
        benchmark_timeout=60.0,
        ranked_timeout=120.0,
        ranking_by="geom",
        seed=None,
        multi_gpu=False,
        world_size=1,
        templates={},
        gpus=(),
        libraries=(),
        flops="n",
        bytes="4*n",
        check=None,
        check_params={},
        outputs=(OutputSpec("mean", (OutputTensor("float32", (1,)),)),),
        devices=("cpu",),
        allow=(),
        limits={},
        starters={"pytorch.py": HONEST, "plain.py": "def custom_kernel(data):\n    return data.mean().reshape(1)\n"},
        reference="import torch\n\n\ndef ref_kernel(data):\n    return data.mean().reshape(1)\n",
    )


@dataclass
class Seeded:
    """The ids of what was seeded, by what it is."""

    users: dict[str, int] = field(default_factory=dict)
    boards: dict[str, str] = field(default_factory=dict)
    submissions: dict[str, int] = field(default_factory=dict)


def seed(session: Session) -> Seeded:
    """Fill the database and commit."""
    seeded = Seeded()
    users = {name: User(name=name) for name in ("ada", "grace", "edsger", HOSTILE_NAME, "barbara")}
    session.add_all(users.values())
    spec = problem_spec()
    problem = Problem(
        slug=spec.slug, digest="a" * 64, title=spec.title, spec=to_json(spec), statement=spec.statement, archive=b""
    )
    session.add(problem)
    session.flush()
    now = utc_now()
    hidden = [{"n": int(SECRET_NUMBER), "family": "spike"}]
    boards = {
        "main": Board(
            name="vector_mean-cpu", problem_id=problem.id, device="cpu", hidden=hidden, limits={},
            closes_at=now + timedelta(days=12),
        ),
        "empty": Board(name="vector_mean-cuda", problem_id=problem.id, device="cuda", hidden=hidden, limits={}),
        "closed": Board(
            name="vector_mean-old", problem_id=problem.id, device="cpu", hidden=[], limits={},
            closes_at=now - timedelta(days=3),
        ),
    }  # fmt: skip
    session.add_all(boards.values())
    session.add(RunnerHost(name="host-1", device="cpu", slots=1, level={}, environment={}, seen_at=now))
    session.flush()
    seeded.users = {name: user.id for name, user in users.items()}
    seeded.boards = {name: board.name for name, board in boards.items()}
    work = _Seeding(session, seeded, boards["main"])
    work.ranked("honest", users["ada"], 3.412, 0.004, share=0.62)
    work.ranked("tied", users["grace"], 3.409, 0.012, share=0.619)
    work.ranked("slower", users["edsger"], 1.87, 0.03, share=0.34, noisy=True)
    work.ranked("hostile", users[HOSTILE_NAME], 0.931, 0.0006, share=None, file_name=f"{BIDI}.py")
    work.ranked("older", users["ada"], 1.2, 0.01, share=0.2)
    work.rejected("rejected", users["ada"])
    work.wrong("wrong", users["ada"])
    work.wrong_hidden("wrong_hidden", users["ada"])
    work.crashed("error", users["ada"])
    work.ours("ours", users["ada"])
    work.in_review("review", users["ada"])
    work.passed_test("tested", users["ada"])
    work.running("running", users["ada"])
    work.queued("queued", users["ada"])
    work.cancelled("cancelled", users["ada"])
    session.commit()
    return seeded


def timing(speedup: float, half: float, seconds: float, share: float | None = None, noisy: bool = False) -> Timing:
    """A timing with the interval `speedup` ± `half`."""
    ratio = -math.log(speedup)
    return Timing(
        pairs=60, calls=1, seconds=seconds, anchor_seconds=seconds * speedup, log_ratio=ratio,
        low=-math.log(speedup + half), high=-math.log(speedup - half), noisy=noisy, mean_excess=0.01,
        resolution_seconds=3e-5, floor_seconds=seconds * share if share is not None else None,
    )  # fmt: skip


class _Seeding:
    def __init__(self, session: Session, seeded: Seeded, board: Board) -> None:
        self.session, self.seeded, self.board = session, seeded, board
        self.count = 0

    def submission(
        self, name: str, user: User, mode: Mode, source: str = HONEST, file_name: str = "mean.py"
    ) -> Submission:
        self.count += 1
        made = Submission(
            board_id=self.board.id, user_id=user.id, mode=mode, file_name=file_name, source=source,
            source_digest=f"{self.count:064x}", canonical_digest=f"{self.count:064x}",
            line_count=len(source.splitlines()), idempotency_key=None,
            created_at=utc_now() - timedelta(hours=40 - self.count),
        )  # fmt: skip
        self.session.add(made)
        self.session.flush()
        self.seeded.submissions[name] = made.id
        self.event(made, "queued", {"device": "cpu", "mode": mode.value})
        return made

    def event(self, submission: Submission, kind: str, data: dict[str, object]) -> None:
        self.session.add(SubmissionEvent(submission_id=submission.id, kind=kind, data=data))
        self.session.flush()

    def run(self, submission: Submission, state: RunState, **values: object) -> Run:
        started = None if state == RunState.QUEUED else submission.created_at + timedelta(seconds=1.3)
        made = Run(
            submission_id=submission.id, board_id=self.board.id, user_id=submission.user_id, device="cpu",
            mode=submission.mode, state=state, priority=20, nonce=f"{submission.id:064x}",
            queued_at=submission.created_at,
            **{"message": "", "attempt_count": 1, "started_at": started, **values},
        )  # fmt: skip
        self.session.add(made)
        self.session.flush()
        return made

    def judged(self, submission: Submission, report: Report, decision: DecisionOutcome | None, **values: object) -> Run:
        moment = submission.created_at + timedelta(seconds=9)
        return self.run(
            submission, RunState.FINISHED, verdict=report.verdict, decision=decision, message=report.message,
            report=encode(report), judged_at=moment, finished_at=moment, **values,
        )  # fmt: skip

    def ranked(
        self,
        name: str,
        user: User,
        speedup: float,
        half: float,
        share: float | None,
        noisy: bool = False,
        file_name: str = "mean.py",
        decision: DecisionOutcome = DecisionOutcome.CLEAN,
        source: str = HONEST,
    ) -> Run:
        submission = self.submission(name, user, Mode.RANKED, source, file_name)
        report = passing_report(speedup, half, share, noisy)
        assert report.score is not None
        score = report.score
        return self.judged(
            submission, report, decision, log_ratio=score.log_ratio, low=score.low, high=score.high,
            seconds=score.seconds, noisy=noisy, floor_share=share,
        )  # fmt: skip

    def rejected(self, name: str, user: User) -> None:
        outcome = DecisionOutcome.REJECTED
        run = self.ranked(name, user, 41.0, 0.5, 0.99, decision=outcome, source=CHEAT, file_name=f"{HOSTILE}.py")
        self.session.add(
            Finding(
                run_id=run.id, rule="pointer-cache", version=1, family="B", effect="reject",
                message=f"Results are kept by the input's address {HOSTILE}",
                advice="Compute the result in every call.", line=8, column=11, excerpt="data.data_ptr()",
            )
        )  # fmt: skip
        self.session.add(Decision(run_id=run.id, outcome=DecisionOutcome.REJECTED, reason="cached results", by=None))

    def in_review(self, name: str, user: User) -> None:
        run = self.ranked(name, user, 9.0, 0.05, share=1.4, decision=DecisionOutcome.REVIEW)
        self.session.add(
            Finding(
                run_id=run.id, rule="below-floor", version=1, family="A", effect="review",
                message="It is faster than the device's memory allows.", advice="", line=0, column=0, excerpt="",
            )
        )  # fmt: skip

    def wrong(self, name: str, user: User) -> None:
        submission = self.submission(name, user, Mode.RANKED)
        cases = (
            CaseResult(Stage.TEST, 0, "n: 1; family: normal", False, Verdict.PASSED, error=0.012),
            CaseResult(
                Stage.TEST, 1, "n: 1000; family: spike", False, Verdict.WRONG, error=37.25,
                message=f"element 0: expected 0.25, got 9.3125 {HOSTILE}",
            ),
        )  # fmt: skip
        self.judged(submission, Report(Verdict.WRONG, Stage.TEST, "The result is wrong in 1 of 3 tests.", cases), None)

    def wrong_hidden(self, name: str, user: User) -> None:
        submission = self.submission(name, user, Mode.RANKED)
        cases = (
            *tests_passed(),
            CaseResult(Stage.TIME, 0, "n: 1048576; family: normal", False, Verdict.PASSED, timing=timing(2, 0.1, 4e-4)),
            CaseResult(
                Stage.TIME, 0, HIDDEN_LABEL, True, Verdict.ERROR, message=f"ValueError: cannot reshape {SECRET_NUMBER}"
            ),
        )
        report = Report(Verdict.ERROR, Stage.TIME, f"ValueError: cannot reshape {SECRET_NUMBER}", cases)
        run = self.judged(submission, report, None)
        run.message = "The kernel raised an exception in a hidden case."

    def crashed(self, name: str, user: User) -> None:
        submission = self.submission(name, user, Mode.TEST, source="import tensorfoo\n")
        message = "Traceback (most recent call last):\n  mean.py, line 1\nImportError: No module named 'tensorfoo'"
        report = Report(Verdict.ERROR, Stage.BUILD, message, output=f"\x1b[31mhello\x1b[0m {HOSTILE}\nline two\n")
        self.event(submission, "stage", {"stage": "build", "total": 1})
        self.judged(submission, report, None)

    def ours(self, name: str, user: User) -> None:
        submission = self.submission(name, user, Mode.RANKED)
        report = Report(Verdict.JUDGE_FAULT, Stage.TIME, "The runner lost its sandbox.", detail="operator only detail")
        self.judged(submission, report, None)

    def passed_test(self, name: str, user: User) -> None:
        submission = self.submission(name, user, Mode.TEST)
        report = Report(Verdict.PASSED, Stage.TEST, "", tests_passed(), output="n = 1000\n")
        self.judged(submission, report, DecisionOutcome.CLEAN)

    def running(self, name: str, user: User) -> None:
        submission = self.submission(name, user, Mode.RANKED)
        self.run(submission, RunState.RUNNING)
        self.event(submission, "stage", {"stage": "build", "total": 1})
        self.event(submission, "stage", {"stage": "test", "total": 3})
        for index in range(3):
            self.event(submission, "case", {"stage": "test", "index": index, "label": "", "status": "passed"})
        self.event(submission, "stage", {"stage": "time", "total": 3})
        self.event(submission, "case", {"stage": "time", "index": 0, "label": HIDDEN_LABEL, "hidden": True})
        self.event(submission, "progress", {"stage": "time", "index": 1, "done": 34, "total": 60})

    def queued(self, name: str, user: User) -> None:
        self.run(self.submission(name, user, Mode.RANKED), RunState.QUEUED, attempt_count=0)

    def cancelled(self, name: str, user: User) -> None:
        self.run(self.submission(name, user, Mode.RANKED), RunState.CANCELLED, started_at=None)


def tests_passed() -> tuple[CaseResult, ...]:
    """The public tests, passed."""
    labels = ("n: 1; family: normal", "n: 1000; family: spike", "n: 65537; family: normal")
    passed = Verdict.PASSED
    return tuple(CaseResult(Stage.TEST, n, label, False, passed, error=0.01 * n) for n, label in enumerate(labels))


def passing_report(speedup: float, half: float, share: float | None, noisy: bool) -> Report:
    """A ranked run that passed: tests, two public and one hidden timed case."""
    cases = (
        *tests_passed(),
        CaseResult(
            Stage.TIME, 0, "n: 1048576; family: normal", False, Verdict.PASSED, error=0.031, anchor_error=0.03,
            timing=timing(speedup * 1.02, half, 1.31e-4, share, noisy),
        ),
        CaseResult(
            Stage.TIME, 1, "n: 16777216; family: normal", False, Verdict.PASSED, error=0.044, anchor_error=0.04,
            timing=timing(speedup * 0.97, half, 2.204e-3, share),
        ),
        CaseResult(
            Stage.TIME, 0, HIDDEN_LABEL, True, Verdict.PASSED, error=0.02, anchor_error=0.02,
            timing=timing(speedup * 1.01, half, 1.3e-4, share),
        ),
    )  # fmt: skip
    score = Score(
        log_ratio=-math.log(speedup), low=-math.log(speedup + half), high=-math.log(speedup - half),
        seconds=1.4e-3 / speedup, noisy=noisy,
    )  # fmt: skip
    return Report(
        Verdict.PASSED, Stage.TIME, "", cases, score, Evidence(),
        environment={"cpu": "Xeon <b>", "torch": "2.13.0"}, level={"stop": "yes", "memory": "cgroup-v2"},
    )  # fmt: skip
