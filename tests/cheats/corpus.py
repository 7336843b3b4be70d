"""The corpus: one folder a case, a program and what must come of it.

``cases/<letter><number>_<name>[_<variant>]/`` holds ``kernel.py``, the program as it would be submitted, and
``case.toml``:

``family``      letter and number of the mechanism, "A2"; an honest look-alike may give the letter alone
``title``       one line
``problem``     "basics/vector_mean" or "linalg/qr"
``expect``      how it must end, see :data:`ENDS`; a list where the host decides
``stopped_by``  what makes it pointless: a property of :data:`STOPPERS`
``naive``       "wins": accepted by the naive harness, and clearly faster; "accepted": accepted though it is wrong;
                else the reason why that harness says nothing about it
``harness``     a table of :class:`HarnessOptions`: which of the weaknesses seen in public it needs
``timing``      true where the end needs the machine's cores to itself
``seconds``     the time budget of a timed case; more than the few pairs of the default only where statistics must tell
``honest``      true for an honest kernel that looks suspicious; it must rank, and has no ``stopped_by`` or ``naive``
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent / "cases"
PROBLEMS = ("basics/vector_mean", "linalg/qr")
ENDS = ("ranked", "wrong", "rejected", "review", "error", "crashed", "timeout", "memory")
STOPPERS = (
    "ISO", "FRESH", "REVEAL", "POISON", "SYNC", "TYPE", "SBX", "TOL", "SHAPE", "ROOF", "CLOCK", "PLACE", "STATS",
    "guard",
)  # fmt: skip
"""Properties of the judge (CLOCK: the stop and the CPU clock; PLACE: where a stopped shim waits; STATS: pairs, and the
mean against the estimate), and the guard."""
NAIVE = ("wins", "accepted")
CASE_SECONDS = 0.2
"""The time budget of a timed case: a few pairs."""

MECHANISMS: dict[str, tuple[str, ...]] = {
    "A": (
        "id-object-cache", "data-ptr-cache", "content-signature-memo", "value-equality-memo", "shape-keyed-output",
        "last-call-replay", "hidden-state-carriers", "native-static-replay", "superbatch-bank",
        "sequence-batch-graph", "partial-key-graph", "stable-weight-cache", "public-seed-precompute",
        "warmup-compute", "output-buffer-alias",
    ),
    "B": ("good-then-bad", "phase-switch", "parent-environ-seed", "warmup-throttle"),
    "C": (
        "event-class-patch", "host-clock-patch", "sync-noop", "side-stream", "native-nonblocking-stream",
        "token-paste-stream", "thread-offload", "late-write-race", "lazy-subclass", "L2-persist", "flush-patch",
        "early-input-window", "event-handle-overwrite", "GOT-patch",
    ),
    "D": (
        "forged-stats", "aggregator-underflow", "score-print", "fd-write-exit", "pipe-interpose", "FILE-fileno-swap",
        "ptrace-patch", "proc-mem", "signature-scan", "harness-memory-edit", "module-mutation",
        "globals/frame-walk", "code-replacement", "native-frame-patch", "validator-patch", "error-counter-reset",
        "gc-copy-answer", "gc-NaN-poison", "GPU-address-scan", "stale-reference-memory", "file-overwrite",
        "runtime-install", "obfuscated-exec", "input-mutation", "import-time-attack",
    ),
    "E": (
        "noop/empty", "zeros-in-tolerance", "constant-output", "passthrough", "fake-reduction", "partial-write",
        "precision-downgrade", "structure-truncation", "public-shape-only", "invariant-only-answer",
        "garbage-shared-read", "half-read",
    ),
    "F": (
        "library-fallback", "reference-import", "trivial-part-only", "config-cache-exploit", "near-clone-spam",
        "context-corruption", "noise-farming",
    ),
    "G": (
        "run-after-flag", "self-wake", "stop-hang", "even-superbatch", "refill-tail", "log-leak",
        "cancel-if-unlucky", "build-plant", "seed-bits", "memfd-memory", "ripe-work", "many-threads",
        "noisy-neighbour", "fold-bomb", "veto", "text-as-attack", "timer-bomb", "exit-thread", "copy-follower",
        "copy-ahead", "orphan-spinner", "one-vector",
    ),
}  # fmt: skip
"""The mechanisms of each family, in the order of their numbers, which run on from family to family from 1."""

DEVICE_ONLY = (10, 11, 23, 24, 29, 32, 52, 69, 88)
"""Mechanisms that have no fair analogue without a GPU."""

ELSEWHERE: dict[int, str] = {
    71: "allowed where the statement allows libraries: look-alikes that must rank",
    73: "allowed where the statement allows libraries: look-alikes that must rank",
    75: "many submissions of one author: tests of the guard's near-clones and of pooling",
    77: "many runs of one submission: tests of pooling and confirmation",
    84: "many runs of one submission: tests of pooling and confirmation",
    85: "two runs, the second looking for what the first left: test_properties.py",
    90: "two runs at once: tests of the worker, which times one run per last-level cache",
}
"""Mechanisms that need more than one run, with where they are tested."""

_NEEDED = {"family", "title", "problem", "expect"}
_KEYS = _NEEDED | {"stopped_by", "naive", "harness", "honest", "timing", "seconds"}
_FOLDER = re.compile(r"([a-g])(\d{2,3})_[a-z0-9_]+")
_FAMILY = re.compile(r"([A-G])(\d{0,3})")


class CorpusError(Exception):
    """A case is malformed; the text names it and says what to do."""


@dataclass(frozen=True)
class HarnessOptions:
    """Which of the weaknesses of harnesses seen in public the naive one shows; by default the fewest.

    recheck      outputs of every timed repeat are checked (else only those of the tests)
    inputs       "offset": a shift of up to 100 plus noise, so zeros are wrong; "normal": N(0, 1)
    tolerance    "relative": 1e-5 of the answer; "loose": atol = rtol = 1e-2
    reference    "last": computed from the input once the kernel has returned; "first": before, and kept
    results      "fd": lines on a descriptor named in the environment; "stdout": lines on standard output
    factor       how many times as fast as the honest kernel the cheat must seem
    """

    recheck: bool = True
    inputs: str = "offset"
    tolerance: str = "relative"
    reference: str = "last"
    results: str = "fd"
    factor: float = 1.5


_CHOICES = {
    "inputs": ("offset", "normal"),
    "tolerance": ("relative", "loose"),
    "reference": ("last", "first"),
    "results": ("fd", "stdout"),
}


@dataclass(frozen=True)
class Case:
    """One case of the corpus."""

    name: str
    family: str
    title: str
    problem: str
    expect: tuple[str, ...]
    stopped_by: str
    naive: str
    harness: HarnessOptions
    honest: bool
    timing: bool
    source: str
    seconds: float = CASE_SECONDS

    @property
    def letter(self) -> str:
        """The family's letter."""
        return self.family[0]

    @property
    def number(self) -> int | None:
        """The mechanism's number, None for a look-alike of a whole family."""
        return int(self.family[1:]) if self.family[1:] else None


def numbered() -> dict[int, tuple[str, str]]:
    """Every mechanism by its number: its family's letter and its name."""
    pairs = [(letter, name) for letter, names in MECHANISMS.items() for name in names]
    return dict(enumerate(pairs, start=1))


def missing(cases: list[Case]) -> list[str]:
    """The mechanisms that run without a GPU, in one run, and have no cheat in `cases`."""
    there = {case.number for case in cases if not case.honest}
    skipped = {*DEVICE_ONLY, *ELSEWHERE}
    return [f"{letter}{n} {name}" for n, (letter, name) in numbered().items() if n not in there | skipped]


def read_cases(root: Path = CASES) -> list[Case]:
    """All cases under `root`, by name. Raises CorpusError."""
    return [read_case(folder) for folder in sorted(root.iterdir()) if folder.is_dir() and folder.name[0] not in "._"]


def read_case(folder: Path) -> Case:
    """The case in `folder`. Raises CorpusError."""
    named = _FOLDER.fullmatch(folder.name)
    if not named:
        raise CorpusError(f"{folder.name}: name it <letter><two digits>_<name>, such as a02_data_ptr_cache_cpp")
    try:
        text = tomllib.loads((folder / "case.toml").read_text(encoding="utf-8"))
        source = (folder / "kernel.py").read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise CorpusError(f"{folder.name}: {Path(error.filename).name} is missing") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CorpusError(f"{folder.name}: {error}") from None
    case = _case(folder.name, text, source)
    if case.letter.lower() != named[1] or (case.number or 0) != int(named[2]):
        raise CorpusError(f"{folder.name}: the family is {case.family}; folder and family must agree")
    return case


def _case(name: str, text: dict[str, Any], source: str) -> Case:
    def refuse(what: str) -> CorpusError:
        return CorpusError(f"{name}/case.toml: {what}")

    if unknown := sorted(set(text) - _KEYS):
        raise refuse(f"unknown key {unknown[0]!r}; there are {', '.join(sorted(_KEYS))}")
    honest = text.get("honest", False)
    needed = _NEEDED | (set() if honest else {"stopped_by", "naive"})
    if lacking := sorted(needed - set(text)):
        raise refuse(f"the key {lacking[0]!r} is missing")
    expect = text["expect"] if isinstance(text["expect"], list) else [text["expect"]]
    if not expect or not set(expect) <= set(ENDS):
        raise refuse(f"expect takes {', '.join(ENDS)}, or a list of them")
    if ("ranked" in expect) != honest or (honest and len(expect) > 1):
        raise refuse('a cheat never ends "ranked"; an honest kernel ends so and nothing else')
    if text["problem"] not in PROBLEMS:
        raise refuse(f"problem is one of {', '.join(PROBLEMS)}")
    if not honest and text["stopped_by"] not in STOPPERS:
        raise refuse(f"stopped_by is one of {', '.join(STOPPERS)}")
    if not _known(text["family"], honest):
        raise refuse(f"there is no mechanism {text['family']!r}")
    if "def custom_kernel" not in source and "custom_kernel =" not in source:
        raise CorpusError(f"{name}/kernel.py: it defines no custom_kernel")
    return Case(
        name, text["family"], text["title"], text["problem"], tuple(expect), text.get("stopped_by", ""),
        text.get("naive", "accepted" if honest else ""), _options(text.get("harness", {}), refuse), honest,
        text.get("timing", honest), source,
        float(text.get("seconds", CASE_SECONDS)),
    )  # fmt: skip


def _known(family: str, honest: bool) -> bool:
    found = _FAMILY.fullmatch(family)
    if not found:
        return False
    if not found[2]:
        return honest
    known = numbered().get(int(found[2]))
    # Numbers beyond the list are ways found since.
    return known[0] == found[1] if known else int(found[2]) > len(numbered())


def _options(table: dict[str, Any], refuse: Any) -> HarnessOptions:
    kinds = {item.name: type(item.default) for item in dataclasses.fields(HarnessOptions)}
    for key, value in table.items():
        if key not in kinds:
            raise refuse(f"harness: unknown key {key!r}; there are {', '.join(kinds)}")
        if not isinstance(value, (int, float) if kinds[key] is float else kinds[key]):
            raise refuse(f"harness: {key} is a {kinds[key].__name__}")
        if key in _CHOICES and value not in _CHOICES[key]:
            raise refuse(f"harness: {key} is one of {', '.join(_CHOICES[key])}")
    return HarnessOptions(**table)
