"""What a problem or a board demands of the host that judges it: names of host facts, each with the answers that do.

``requires: {memory: cgroup, smt: off}`` under ``limits``. A host says its facts when it registers; `kernelcup doctor`
shows them. An answer does where it is the one that is asked for, or a kind of it: ``cgroup-v2`` is ``cgroup``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from problems import fields
from problems.model import SpecError

HOST_FACTS = (
    "stop", "cpu_clock", "namespaces", "seccomp", "memory", "uid", "own_core",
    "isolated", "smt", "governor", "boost", "swap", "aslr", "thp", "virtual",
)  # fmt: skip
"""Names that may be demanded: the fields of the sandbox's level, then what else a host says of itself."""

_SAME = {"on": "yes", "true": "yes", "off": "no", "false": "no"}

Requirements = Mapping[str, tuple[str, ...]]


def read_requirements(value: Any, where: str) -> dict[str, list[str]]:
    """`value` as names with the answers that do, in lower case. Raises SpecError for unknown names and odd answers."""
    found = {}
    for name, wanted in fields.mapping(value, where, HOST_FACTS).items():
        options = wanted if isinstance(wanted, list) else [wanted]
        found[name] = [_answer(option, f"{where}.{name}") for option in options]
        if not options:
            raise SpecError(f"task.yml: {where}.{name}: an empty list is never met; give an answer, or leave it out")
    return found


def unmet(requires: Requirements, facts: Mapping[str, Any]) -> list[str]:
    """The names in `requires` that a host with these `facts` does not meet. A fact it does not tell is not met."""
    return [name for name, options in requires.items() if not _meets(str(facts.get(name, "")), options)]


def _meets(answer: str, options: tuple[str, ...]) -> bool:
    return any(answer == option or answer.startswith(f"{option}-") for option in options)


def _answer(value: Any, where: str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, str) or not 0 < len(value) <= 40 or not value.isprintable():
        raise SpecError(f"task.yml: {where}: expected yes, no or a word such as cgroup, not {value!r}")
    word = value.strip().lower()
    return _SAME.get(word, word)
