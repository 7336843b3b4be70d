"""Detectors for threads and tasks that nothing waits for, in Python and in native code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from guard.canonical import Views
from guard.detectors.base import Detect, known
from guard.reading import CallSite, Place, Reading
from guard.values import UNKNOWN, Const, Partial, Seq, path_of

_STARTERS = ("_thread.start_new_thread", "_thread.start_new", "threading.Thread", "threading.Timer")
_WAITS = (".result", ".wait", ".wait_for", ".shutdown", "futures.wait", "futures.as_completed")
_LOCK = ".acquire"
_AT_ONCE = {"__init__", "__new__", "__call__", "__enter__", "__exit__"}
_NATIVE_START = re.compile(r"\bpthread_create\s*\(|\bstd\s*::\s*thread\b|\bthrd_create\s*\(")
_NATIVE_WORKER = re.compile(
    r"\b(?:pthread_create\s*\([^,;]{0,200},[^,;]{0,200},|thrd_create\s*\([^,;]{0,200},)\s*(?:\([^()]{0,80}\)\s*)?&?\s*(\w+)"
    r"|\bstd\s*::\s*thread\b\s*\w*\s*[({]\s*&?\s*(\w+)"
)
_NATIVE_WAIT = re.compile(
    r"\bpthread_(?:join|cond_wait|cond_timedwait|barrier_wait|tryjoin_np|timedjoin_np)\b|\bsem_(?:timed)?wait\b"
    r"|\bthrd_join\b|\bcnd_(?:timed)?wait\b|(?:\.|->)\s*(?:join|wait|wait_for|wait_until|arrive_and_wait|get|acquire)\s*\("
    r"|\bFUTEX_WAIT\w*|\bstd\s*::\s*jthread\b|\bpoll\s*\(|\bread\s*\("
    r"|\bwhile\s*\((?!\s*(?:1|true)\s*\))[^{};]{1,400}\)\s*"
    r"(?:;|\{\s*\}|\{?\s*(?:_mm_pause|__builtin_ia32_pause|sched_yield|std\s*::\s*this_thread|asm|__asm__|pause|cpu_relax)\b)"
)


def outliving(parameters: dict[str, Any]) -> Detect:
    """Threads and tasks that are started and never waited for."""
    known(parameters)

    def detect(views: Views) -> Iterator[Place]:
        for reading in views.readings:
            started = [site for site in reading.calls if _starts(site.path)]
            if started and not _waits(reading, started) and not _in_with(reading, "Executor()"):
                yield from (reading.place(site.node) for site in started)

    return detect


def _starts(path: str) -> bool:
    return path in _STARTERS or (path.endswith(".submit") and "Executor()" in path)


def _waits(reading: Reading, started: list[CallSite]) -> bool:
    """Whether anything waits for a thread. Its ``join`` takes no argument but a time-out, unlike that of texts.

    What the threads themselves wait for does not count, nor what is only waited for once a result is looked at.
    """
    aside = _workers(reading, started)
    first = _first_starts(started)
    for site in reading.calls:
        if site.function in aside or (_is_special(site.function) and site.function not in _AT_ONCE):
            continue
        if site.path.endswith(_WAITS):
            return True
        if site.path.endswith(_LOCK) and site.node.lineno > first.get(site.function, 0):
            return True
        timed = all(isinstance(value, Const) and isinstance(value.value, (int, float)) for value in site.arguments)
        if site.path.endswith(".join") and timed and not isinstance(site.receiver, Const | Partial | Seq):
            return True
    return False


def _first_starts(started: list[CallSite]) -> dict[str, int]:
    """For each function the line where it first starts a thread; a lock that it takes before is no wait for it."""
    lines: dict[str, int] = {}
    for site in started:
        lines[site.function] = min(site.node.lineno, lines.get(site.function, site.node.lineno))
    return lines


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _workers(reading: Reading, started: list[CallSite]) -> set[str]:
    """The source's functions that only run in the threads it starts."""
    given = [value for site in started for value in (*site.arguments[:2], *site.keywords.values())]
    found = {path.removeprefix("@") for value in given if (path := path_of(value)).startswith("@")}
    callers: dict[str, set[str]] = {}
    for site in reading.calls:
        if site.path.startswith("@"):
            callers.setdefault(site.path.removeprefix("@"), set()).add(site.function)
    found -= {name for name in found if callers.get(name, set()) - found}
    while more := {name for name, by in callers.items() if name not in found and by <= found}:
        found |= more
    return found


def _in_with(reading: Reading, path: str) -> bool:
    return any(
        path in path_of(reading.values.get(item.context_expr, UNKNOWN))
        for node in ast.walk(reading.tree)
        if isinstance(node, ast.With | ast.AsyncWith)
        for item in node.items
    )


def native_outliving(parameters: dict[str, Any]) -> Detect:
    """Native threads of a source in which nothing, outside of these threads, waits."""
    known(parameters)

    def detect(views: Views) -> Iterator[Place]:
        for nested in views.nested:
            if nested.lang != "cpp" or not (first := _NATIVE_START.search(nested.text)):
                continue
            if not _NATIVE_WAIT.search(_without_workers(nested.text)):
                yield nested.place_at(first.start())

    return detect


def _without_workers(text: str) -> str:
    """`text` without the bodies of the functions that its threads run."""
    names = {name for found in _NATIVE_WORKER.finditer(text) for name in found.groups() if name}
    if not names:
        return text
    made, at = [], 0
    heads = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\s*\([^;{{}}]{{0,400}}\{{")
    while found := heads.search(text, at):
        made.append(text[at : found.start()])
        at = _block_end(text, found.end())
    return "".join([*made, text[at:]])


def _block_end(text: str, at: int) -> int:
    """Where the block that was opened just before `at` ends."""
    depth = 1
    for brace in re.compile(r"[{}]").finditer(text, at):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.end()
    return len(text)
