"""What the author is told, and what is kept from a run that has seen hidden shapes."""

from __future__ import annotations

import signal

import pytest

from runners.judge.answers import Dishonest, Failed, violations_of
from runners.judge.faults import JudgeFault
from runners.judge.wording import word_failure
from runners.protocol import Limits, Stage, Verdict


def word(failure: Failed, secret: bool = False) -> tuple[Verdict, str]:
    return word_failure(failure, "timed case 2 (n: 5)", Limits(), secret)


def test_a_submissions_own_text_is_withheld_once_it_knows_hidden_shapes() -> None:
    failure = Failed("exception", "ValueError: shape is (4194301,)", "ValueError")
    assert "4194301" in word(failure)[1]
    assert word(failure, secret=True) == (Verdict.ERROR, "ValueError in timed case 2 (n: 5).")


def test_the_name_of_an_exception_is_text_of_the_submission_too() -> None:
    assert "4194301" not in word(Failed("exception", "", "Shape4194301"), secret=True)[1]


def test_a_kill_from_outside_is_our_fault() -> None:
    with pytest.raises(JudgeFault):
        word(Failed("signal", str(int(signal.SIGKILL))))


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGUSR1, 40])
def test_a_signal_of_its_own_is_the_authors(number: int) -> None:
    verdict, message = word(Failed("signal", str(int(number))))
    assert verdict is Verdict.CRASHED
    assert "timed case 2" in message


def test_a_forbidden_call_is_told_in_plain_words_and_is_evidence() -> None:
    failure = Failed("signal", str(int(signal.SIGSYS)))
    verdict, message = word(failure)
    assert verdict is Verdict.CRASHED
    assert message.startswith("The submission made a system call that no kernel needs")
    assert [found.kind for found in violations_of(failure, Stage.TEST)] == ["forbidden_call"]


@pytest.mark.parametrize("failure", [None, Failed("signal", "11"), Failed("exit", "31"), Failed("exception", "31")])
def test_no_other_end_is_taken_for_a_forbidden_call(failure: Failed | None) -> None:
    assert violations_of(failure, Stage.BUILD) == ()


def test_every_kind_of_dishonesty_has_words() -> None:
    for kind in ("woke_itself", "ran_while_stopped", "extra_process", "unstoppable", "took_over"):
        verdict, message = word(Dishonest(kind, "the detail"))
        assert verdict is Verdict.CRASHED
        assert "the detail" in message
