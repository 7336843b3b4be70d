"""The words that a runner and everyone else share: Job, Brief, Event and Report.

Imports nothing of ours, and nothing outside the standard library, so that the smallest runner image can hold it.
Everything crosses process and host boundaries as JSON; :func:`encode` and :func:`decode` are the only codec, and
`decode` refuses unknown fields, missing fields and values of the wrong type.
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import hmac
import json
import math
import types
import typing
from dataclasses import dataclass, field
from typing import Any, TypeVar

Param = int | float | str | bool
T = TypeVar("T")


class ProtocolError(ValueError):
    """A message does not have the form that this module declares."""


class Mode(enum.StrEnum):
    """What a run is for."""

    TEST = "test"
    BENCHMARK = "benchmark"
    RANKED = "ranked"
    PROFILE = "profile"


class Verdict(enum.StrEnum):
    """How a run ended. Only :attr:`JUDGE_FAULT` is ours; everything else is known to be the author's."""

    PASSED = "passed"
    WRONG = "wrong"
    ERROR = "error"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CRASHED = "crashed"
    JUDGE_FAULT = "judge_fault"


class Stage(enum.StrEnum):
    """Where in a run something happened."""

    BUILD = "build"
    TEST = "test"
    TIME = "time"


@dataclass(frozen=True)
class CaseSpec:
    """One set of parameters of a problem, e.g. ``n=1048576``.

    `index` counts within its list (tests, public timed cases, hidden timed cases); `key` in HMAC derivations is
    made of `hidden` and `index`, so it never repeats within a run.
    """

    index: int
    params: dict[str, Param]
    hidden: bool = False

    @property
    def label(self) -> str:
        """The parameters in one line, ``n: 1048576; family: normal``."""
        return "; ".join(f"{name}: {value}" for name, value in self.params.items())


@dataclass(frozen=True)
class Limits:
    """What a contestant may use. Seconds are wall-clock; bytes are bytes."""

    build_seconds: float = 120.0
    test_seconds: float = 60.0
    call_seconds: float = 10.0
    case_seconds: float = 6.0
    memory_bytes: int = 4 << 30
    processes: int = 64
    output_bytes: int = 64 << 10
    output_kill_bytes: int = 16 << 20
    scratch_bytes: int = 512 << 20


@dataclass(frozen=True)
class Job:
    """What travels over the broker: ids and limits, no source, no secret input, signed."""

    run_id: int
    attempt_id: int
    mode: Mode
    device: str
    problem: str
    problem_digest: str
    api_url: str
    token: str
    limits: Limits
    signature: str = ""

    def signed(self, key: bytes) -> Job:
        """This job with the signature that `key` makes."""
        return dataclasses.replace(self, signature=self._mac(key))

    def is_signed_by(self, key: bytes) -> bool:
        """Whether :attr:`signature` was made with `key` over exactly these fields."""
        return hmac.compare_digest(self.signature, self._mac(key))

    def _mac(self, key: bytes) -> str:
        unsigned = encode(dataclasses.replace(self, signature=""))
        return hmac.new(key, json.dumps(unsigned, sort_keys=True).encode(), hashlib.sha256).hexdigest()


@dataclass(frozen=True)
class Brief:
    """What the judge is told once all its contestants exist: the source, the nonce, the cases to hide.

    `problem_path` is the unpacked problem package on the runner's disk. `nonce` is 64 hexadecimal digits, secret
    until the report is published. `hidden` are the board's fixed hidden timed cases (empty unless ranked).
    """

    mode: Mode
    problem_path: str
    source: str
    file_name: str
    nonce: str
    limits: Limits
    hidden: tuple[CaseSpec, ...] = ()


@dataclass(frozen=True)
class Event:
    """Progress, best-effort. Kinds: ``stage``, ``case``, ``progress``; never on the way of a verdict.

    `data` of ``stage``: stage, total. Of ``case``: stage, index, label, hidden, status. Of ``progress``: stage,
    index, done, total.
    """

    kind: str
    data: dict[str, Any]


@dataclass(frozen=True)
class Timing:
    """What was measured for one timed case. Times are seconds for one call; nothing is subtracted.

    `log_ratio` is the Hodges-Lehmann estimate of ln(contestant) - ln(anchor) over pairs, `low` and `high` its 95 %
    block-bootstrap interval. `calls` is how many calls one sample holds. `mean_excess` is by how much, at least, the
    mean of the contestant's CPU times exceeds their centre beyond what the anchor's do: work deferred into a few slow
    calls. `resolution_seconds` is what the path itself can hide in one call. `reveal` says how a sample's inputs come:
    ``single``, ``together``, or ``one by one`` (each after the last output was taken). `anchor_slowdown` is by what
    share, at least, the anchor is slower right after the contestant than right after itself.
    """

    pairs: int
    calls: int
    seconds: float
    anchor_seconds: float
    log_ratio: float
    low: float
    high: float
    noisy: bool
    mean_excess: float
    resolution_seconds: float
    floor_seconds: float | None = None
    reveal: str = "together"
    anchor_slowdown: float = 0.0
    samples: tuple[float, ...] = ()
    anchor_samples: tuple[float, ...] = ()


@dataclass(frozen=True)
class CaseResult:
    """How one case went. `error` is the measured error divided by its limit: above 1 is wrong."""

    stage: Stage
    index: int
    label: str
    hidden: bool
    status: Verdict
    message: str = ""
    error: float | None = None
    anchor_error: float | None = None
    timing: Timing | None = None


@dataclass(frozen=True)
class Score:
    """A run's score: the mean over cases of the log-ratio to the anchor. Lower is faster.

    `seconds` combines the cases as the problem's `ranking_by` says, for clients that want one time.
    """

    log_ratio: float
    low: float
    high: float
    seconds: float
    noisy: bool


@dataclass(frozen=True)
class Violation:
    """Something a contestant did that no honest kernel does, seen by the judge.

    Kinds: ``ran_while_stopped``, ``woke_itself``, ``extra_process``, ``unstoppable``, ``took_over`` and
    ``forbidden_call``.
    """

    kind: str
    case: str
    detail: str


@dataclass(frozen=True)
class Evidence:
    """What the judge saw beside times and errors; the guard reads it.

    `void_samples` are those of the contestant that showed dishonesty or a busy host, too few to tell: not counted.
    """

    violations: tuple[Violation, ...] = ()
    inputs_written: bool = False
    peak_memory_bytes: int = 0
    void_samples: int = 0


@dataclass(frozen=True)
class Report:
    """The one answer to a Job.

    `message` is for the author: what happened and what to do. `output` is what the submission printed, cut to the
    limit, always empty in ranked runs. `detail` is for the operator and set only for a judge fault. `nonce` is the
    run's, published herewith: all values follow from it, so that anyone can replay the run.
    """

    verdict: Verdict
    stage: Stage
    message: str
    cases: tuple[CaseResult, ...] = ()
    score: Score | None = None
    evidence: Evidence = field(default_factory=Evidence)
    environment: dict[str, str] = field(default_factory=dict)
    level: dict[str, str] = field(default_factory=dict)
    durations: dict[str, float] = field(default_factory=dict)
    output: str = ""
    detail: str = ""
    nonce: str = ""


def encode(message: Any) -> Any:
    """A dataclass of this module as JSON-ready values. Numbers that are not finite become null."""
    if dataclasses.is_dataclass(message) and not isinstance(message, type):
        return {item.name: encode(getattr(message, item.name)) for item in dataclasses.fields(message)}
    if isinstance(message, enum.Enum):
        return message.value
    if isinstance(message, dict):
        return {str(key): encode(value) for key, value in message.items()}
    if isinstance(message, (list, tuple)):
        return [encode(value) for value in message]
    if isinstance(message, float) and not math.isfinite(message):
        return None
    return message


def decode(kind: type[T], value: Any) -> T:
    """`value`, as :func:`encode` made it, as a `kind`.

    Raises ProtocolError for unknown or missing fields and for values of the wrong type, naming the field.
    """
    return typing.cast(T, _decode(kind, value, kind.__name__))


def _decode(kind: Any, value: Any, where: str) -> Any:
    if dataclasses.is_dataclass(kind):
        return _decode_dataclass(kind, value, where)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return _decode_union(arguments, value, where)
    if origin is tuple:
        if not isinstance(value, list):
            raise ProtocolError(f"{where}: expected a list")
        return tuple(_decode(arguments[0], item, f"{where}[{n}]") for n, item in enumerate(value))
    if origin is dict:
        if not isinstance(value, dict):
            raise ProtocolError(f"{where}: expected an object")
        return {key: _decode(arguments[1], item, f"{where}.{key}") for key, item in value.items()}
    return _decode_scalar(kind, value, where)


def _decode_dataclass(kind: Any, value: Any, where: str) -> Any:
    if not isinstance(value, dict):
        raise ProtocolError(f"{where}: expected an object")
    known = {item.name: item for item in dataclasses.fields(kind)}
    if unknown := sorted(set(value) - set(known)):
        raise ProtocolError(f"{where}: unknown field {unknown[0]!r}")
    hints = typing.get_type_hints(kind)
    try:
        return kind(**{name: _decode(hints[name], item, f"{where}.{name}") for name, item in value.items()})
    except TypeError as error:
        raise ProtocolError(f"{where}: {error}") from None


def _decode_union(arguments: tuple[Any, ...], value: Any, where: str) -> Any:
    if value is None and types.NoneType in arguments:
        return None
    for option in arguments:
        try:
            return _decode(option, value, where)
        except ProtocolError:
            continue
    raise ProtocolError(f"{where}: {type(value).__name__} is none of {[str(option) for option in arguments]}")


def _decode_scalar(kind: Any, value: Any, where: str) -> Any:
    if kind is Any:
        return value
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        try:
            return kind(value)
        except ValueError as error:
            raise ProtocolError(f"{where}: {error}") from None
    if kind is float and value is None:
        return math.nan
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ProtocolError(f"{where}: expected {kind.__name__}, not {type(value).__name__}")
    return value
