"""What the author is told when a contestant fails: the verdict, and words that say what to do."""

from __future__ import annotations

import builtins
import signal

from runners.judge.answers import Dishonest, Failed
from runners.judge.faults import JudgeFault
from runners.protocol import Limits, Verdict

_SIGNALS: dict[int, str] = {
    signal.SIGSEGV: "a segmentation fault or an abort: it touched memory that isn't its own, or gave up",
    signal.SIGBUS: "a bus error",
    signal.SIGFPE: "an arithmetic fault, such as a division of integers by zero",
    signal.SIGILL: "an illegal instruction: was it compiled for another processor?",
    signal.SIGABRT: "an abort, usually a failed assertion or a damaged heap",
    signal.SIGXFSZ: "writing a file beyond the size limit",
    signal.SIGXCPU: "using more CPU time than allowed",
}

_DISHONEST = {
    "woke_itself": "The submission ran while the judge held it stopped, before its inputs were revealed.",
    "ran_while_stopped": "The submission used CPU time while the judge held it stopped, outside its timed window.",
    "extra_process": "The submission started another process during timing.",
    "took_over": "The submission answered for its caller: custom_kernel has to return after every call.",
    "unstoppable": "The submission's process could not be stopped in time.",
}


def word_failure(failure: Failed, where: str, limits: Limits, secret: bool) -> tuple[Verdict, str]:
    """The verdict and the author's message for a failure during `where` ("test case 3 (n: 5)").

    `secret` withholds the submission's own text: once hidden shapes are known to it, it could carry them out.
    Raises JudgeFault where the failure isn't known to be the author's.
    """
    if isinstance(failure, Dishonest):
        return Verdict.CRASHED, f"{_DISHONEST[failure.kind]} ({where}: {failure.detail})"
    text = "" if secret else failure.detail.strip()
    match failure.kind:
        case "syntax":
            return Verdict.ERROR, _join("The file has a syntax error.", text)
        case "import":
            return Verdict.ERROR, _join("An import failed; only the runner's packages are there.", text)
        case "no_kernel":
            return Verdict.ERROR, (
                "The file defines no `custom_kernel`. Define a function of that name: it is what gets called."
            )
        case "not_callable":
            return Verdict.ERROR, f"`custom_kernel` must be a function. {text}"
        case "none":
            return Verdict.WRONG, f"`custom_kernel` returned None in {where}. Is a `return` missing?"
        case "not_a_tensor":
            return Verdict.WRONG, _join(f"`custom_kernel` must return tensors in {where}.", text)
        case "form":
            return Verdict.WRONG, _join(f"The result has the wrong shape, dtype or device in {where}:", text)
        case "memory":
            return Verdict.MEMORY, f"Out of memory in {where}: the limit is {limits.memory_bytes >> 20} MiB."
        case "timeout":
            return Verdict.TIMEOUT, f"No answer within {failure.detail} s in {where}."
        case "output":
            return Verdict.ERROR, (
                f"The submission printed more than {limits.output_kill_bytes >> 20} MiB in {where}. Print less."
            )
        case "exit":
            return (
                Verdict.CRASHED,
                f"The process ended by itself in {where}, without an answer. {text}".strip(),
            )
        case "signal":
            return _word_signal(int(failure.detail), where)
    return Verdict.ERROR, _join(f"{_safe_type(failure.error_type)} in {where}.", text)


def _word_signal(number: int, where: str) -> tuple[Verdict, str]:
    if number == signal.SIGKILL:
        raise JudgeFault(f"a contestant was killed from outside in {where}")
    if number == signal.SIGSYS:
        return Verdict.CRASHED, (
            f"The submission made a system call that no kernel needs ({where}), such as ptrace, mount or bpf, "
            "and was ended for it. Take the call out, or the library that makes it."
        )
    what = _SIGNALS.get(number, f"signal {number}")
    return Verdict.CRASHED, f"The process ended in {where} with {what}."


def _safe_type(name: str) -> str:
    """The name of a built-in exception; any other name is the submission's own text."""
    known = getattr(builtins, name, None)
    return name if isinstance(known, type) and issubclass(known, BaseException) else "An exception"


def _join(sentence: str, text: str) -> str:
    return f"{sentence}\n{text}" if text else sentence
