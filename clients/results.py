"""What the service shows, as frozen dataclasses.

Words that may grow (outcomes, verdicts, states) stay strings, so that a newer service does not break an older
client. Times are seconds for one call; `speedup` is how many times faster than the anchor.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

Param = int | float | str | bool


@dataclass(frozen=True)
class Me:
    """Who the token belongs to."""

    name: str
    is_admin: bool = False


@dataclass(frozen=True)
class CaseShape:
    """One public case of a problem, with the least work it takes in flops and bytes."""

    index: int
    label: str
    params: dict[str, Param] = field(default_factory=dict)
    flops: float | None = None
    bytes: float | None = None


@dataclass(frozen=True)
class Problem:
    """A problem as contestants see it. `statement` is Markdown, `starters` map a name to its source."""

    slug: str
    title: str
    summary: str = ""
    digest: str = ""
    statement: str = ""
    tests: tuple[CaseShape, ...] = ()
    benchmarks: tuple[CaseShape, ...] = ()
    starters: dict[str, str] = field(default_factory=dict)
    reference: str = ""
    ranking_by: str = ""
    boards: tuple[str, ...] = ()


@dataclass(frozen=True)
class Board:
    """A problem on one device. `entries` counts ranked authors, `queued` the runs that wait."""

    name: str
    problem: str
    title: str
    device: str
    opens_at: datetime | None = None
    closes_at: datetime | None = None
    is_open: bool = True
    entries: int = 0
    queued: int = 0
    live_runners: int = 0


@dataclass(frozen=True)
class Standing:
    """One row of a board. Ranks that statistics cannot tell apart share an interval, e.g. 2 to 4.

    `confirmation` says how a claim to the record stands: none, queued, running, confirmed or refuted.
    """

    rank_low: int
    rank_high: int
    submission_id: int
    run_id: int
    author: str
    speedup: float
    speedup_low: float
    speedup_high: float
    seconds: float
    file_name: str = ""
    floor_share: float | None = None
    noisy: bool = False
    runs: int = 1
    record: bool = False
    confirmation: str = "none"
    lines: int = 0
    submitted_at: datetime | None = None


@dataclass(frozen=True)
class BoardRows:
    """A board's standings, fastest first."""

    board: Board
    rows: tuple[Standing, ...] = ()


@dataclass(frozen=True)
class Timing:
    """What was measured for one case. `floor_share`: the least possible time over the time, 0 to 1."""

    seconds: float
    anchor_seconds: float
    speedup: float
    speedup_low: float
    speedup_high: float
    pairs: int = 0
    calls: int = 1
    noisy: bool = False
    resolution_seconds: float = 0.0
    floor_seconds: float | None = None
    floor_share: float | None = None


@dataclass(frozen=True)
class Case:
    """How one case went. Of a hidden case the label is its family alone. `error` above 1 is wrong."""

    stage: str
    index: int
    label: str
    status: str
    hidden: bool = False
    message: str = ""
    error: float | None = None
    timing: Timing | None = None

    @property
    def passed(self) -> bool:
        """Whether nothing was wrong with it."""
        return self.status == "passed"


@dataclass(frozen=True)
class Finding:
    """What the guard saw, and what to do. `line` and `column` count from 1; 0 is the whole file."""

    family: str
    effect: str
    message: str
    advice: str = ""
    line: int = 0
    column: int = 0


@dataclass(frozen=True)
class Run:
    """A submission judged on one device in one mode.

    `position` and `eta_seconds` are set while it is queued; `waiting_reason` says why nobody can serve it.
    `fault` is ``author``, ``ours`` or nothing. `confirmation` says how its claim to the record stands: ``none``,
    ``queued``, ``running``, ``confirmed`` or ``refuted``; a run whose `reason` is ``confirmation`` decides on one.
    """

    id: int
    device: str
    mode: str
    state: str
    reason: str = "submitted"
    confirmation: str = "none"
    verdict: str | None = None
    decision: str | None = None
    fault: str | None = None
    message: str = ""
    position: int | None = None
    eta_seconds: float | None = None
    waiting_reason: str = ""
    attempts: int = 0
    queued_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    speedup: float | None = None
    speedup_low: float | None = None
    speedup_high: float | None = None
    seconds: float | None = None
    noisy: bool = False
    nonce: str | None = None
    cases: tuple[Case, ...] = ()
    findings: tuple[Finding, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    level: dict[str, str] = field(default_factory=dict)
    output: str = ""

    def cases_worst_first(self) -> tuple[Case, ...]:
        """The cases that did not pass, then the others, each in the judge's order."""
        return tuple(sorted(self.cases, key=lambda case: case.passed))


@dataclass(frozen=True)
class Submission:
    """A submission and its runs. `outcome` sums them up, `next_step` says what its author can do."""

    id: int
    board: str
    mode: str
    outcome: str
    done: bool
    problem: str = ""
    author: str = ""
    file_name: str = ""
    created_at: datetime | None = None
    next_step: str = ""
    source: str | None = None
    runs: tuple[Run, ...] = ()
    confirmations: tuple[Run, ...] = ()

    @property
    def succeeded(self) -> bool:
        """Whether it reached what its mode is for: ranked if it was to be ranked, else passed."""
        return self.outcome == ("ranked" if self.mode == "ranked" else "passed")

    @property
    def run(self) -> Run | None:
        """The newest run, if there is one."""
        return self.runs[-1] if self.runs else None


@dataclass(frozen=True)
class SubmissionRow:
    """A submission in a list."""

    id: int
    board: str
    mode: str
    outcome: str
    done: bool
    file_name: str = ""
    created_at: datetime | None = None
    speedup: float | None = None


@dataclass(frozen=True)
class Event:
    """Something that happened to a submission. `id` orders events and resumes the stream."""

    id: int
    kind: str
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Queue:
    """A device's queue, as numbers only."""

    device: str
    queued: int = 0
    running: int = 0
    live_runners: int = 0
