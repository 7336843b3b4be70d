"""Decisions, and that no source can keep them from being made."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from guard.decide import decide, decide_safely
from guard.isolated import Failed, call
from runners.protocol import Evidence, Report, Stage, Verdict, Violation
from tests.guard.reports import case, report, timing

HONEST = "def custom_kernel(data):\n    return data.mean()\n"
REVIEWED = "import os\nos._exit(0)\n"
REJECTED = "import time\ntime.perf_counter = lambda: 0.0\n"
BROKEN = "def custom_kernel(:\n"
LARGE = 512 << 20


@pytest.mark.parametrize(
    ("source", "outcome"), [(HONEST, "clean"), (REVIEWED, "review"), (REJECTED, "rejected"), (BROKEN, "review")]
)
def test_the_gravest_hit_decides(source: str, outcome: str) -> None:
    judgement = decide(source, "submission.py", report())
    assert judgement.outcome == outcome
    assert judgement == decide_safely(source, "submission.py", report())


def test_evidence_decides_too() -> None:
    fast = report(case(timing=timing(seconds=5e-5)))
    assert decide(HONEST, "submission.py", fast).outcome == "rejected"
    uneven = report(case(timing=timing(mean_excess=0.2)))
    assert decide_safely(HONEST, "submission.py", uneven).outcome == "review"


def test_the_reason_is_a_category_and_says_how_many_there_are() -> None:
    judgement = decide(REJECTED + "import torch\ntorch.cuda.synchronize = print\n", "submission.py", report())
    assert judgement.reason == "The submission replaces a clock. (and 1 more)"
    assert [hit.line for hit in judgement.hits if hit.effect == "reject"] == [2, 4]


def test_a_source_that_does_not_parse_matters_only_if_the_run_passed() -> None:
    failed = Report(Verdict.ERROR, Stage.BUILD, "SyntaxError")
    assert decide(BROKEN, "submission.py", failed).outcome == "clean"
    assert decide(REJECTED, "submission.py", failed).outcome == "rejected"


def test_a_cuda_source_is_read_as_one() -> None:
    assert decide_safely("void f() { raise(SIGCONT); }\n", "kernel.cu", report()).outcome == "rejected"


@pytest.mark.parametrize(
    "source",
    [
        "x = " + "-" * 100_000 + "1",
        "x = 1" + "+1" * 20_000,
        "f" + "()" * 20_000,
        "x = [1]\n" + "x = [x, x]\n" * 100,
        "x = 9\n" + "x = x * x * x\n" * 500 + "x = 'a' * x\n" + "\0",
        "\n".join(f"a{n} = a{n - 1} + 'x'" for n in range(1, 9000)),
        "def custom_kernel(x):\n" + "".join(f"    if c{n}: y{n} = x\n" for n in range(3000)) + "    return x\n",
        "exec('" * 1 + "x = 1\n" * 0 + "*')",
    ],
    ids=["signs", "sums", "calls", "lists", "nulls", "texts", "branches", "not-python"],
)
def test_a_hostile_source_ends_in_review(source: str) -> None:
    start = time.monotonic()
    judgement = decide_safely(source, "submission.py", report(), seconds=4.0)
    assert judgement.outcome == "review"
    assert time.monotonic() - start < 30


@pytest.mark.parametrize(
    "source",
    [
        "#define A0 x x\n" + "".join(f"#define A{n} A{n - 1} A{n - 1}\n" for n in range(1, 64)) + "A63;",
        "#define F(a) a a\n" + "F(" * 60 + "1" + ")" * 60,
        "#define F(a, b) a b\n" + "F(" * 50_000,
    ],
    ids=["doubling", "nested", "unclosed"],
)
def test_a_hostile_cuda_source_ends_in_review(source: str) -> None:
    assert decide_safely(source, "kernel.cu", report(), seconds=4.0).outcome == "review"


def test_what_the_judge_saw_still_counts_if_the_source_cannot_be_read() -> None:
    seen = report(evidence=Evidence(violations=(Violation("woke_itself", "", ""),)))
    assert decide_safely("x = [1]\n" + "x = [x, x]\n" * 100, "submission.py", seen).outcome == "rejected"


def hang() -> None:
    while True:
        time.sleep(1)


def spin() -> None:
    while True:
        pass


def grow() -> int:
    kept = []
    while True:
        kept.append(bytearray(16 << 20))


def crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def leave() -> None:
    os._exit(0)


def fail() -> None:
    raise ValueError("of ours")


def children() -> set[str]:
    """The children of this process, dead ones that nobody has reaped among them."""
    tasks = Path("/proc/self/task").iterdir()
    return {pid for task in tasks for pid in (task / "children").read_text().split()}


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (hang, "longer than 0.5 seconds"),
        (spin, "longer than 0.5 seconds"),
        (grow, "too much memory"),
        (crash, "crashed"),
        (leave, "crashed"),
        (fail, "ValueError"),
    ],
)
def test_a_child_that_gives_no_answer_is_reaped_and_says_why(function: object, reason: str) -> None:
    assert callable(function)
    limit = 0.5 if "0.5" in reason else 20.0
    before = children()
    with pytest.raises(Failed) as failure:
        call(function, limit, 64 << 20)
    assert reason in failure.value.reason
    assert children() <= before


def test_an_answer_larger_than_a_pipe_holds_arrives_whole() -> None:
    assert call(lambda: "x" * 1_000_000, 20.0, LARGE) == "x" * 1_000_000


def test_no_descriptor_is_left_behind() -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        decide_safely(HONEST, "submission.py", report())
    assert len(os.listdir("/proc/self/fd")) == before
