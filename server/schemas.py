"""What the service shows: the models behind the REST API, the pages and, through the API, every client."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from runners.protocol import Mode, Stage, Verdict
from server.models import DecisionOutcome, RunReason, RunState

Outcome = Literal[
    "queued", "running", "judged", "cancelled", "passed", "ranked", "review", "rejected",
    "wrong", "error", "timeout", "memory", "crashed", "judge_fault",
]  # fmt: skip

ConfirmationShown = Literal["none", "queued", "running", "confirmed", "refuted"]
CONFIRMATION_HELP = (
    "Whether a fresh run of the same source, which the service makes by itself, confirms a claim to the record"
)


class Shown(BaseModel):
    """Base of all that is shown: read from attributes, refuse what is unknown."""

    model_config = ConfigDict(from_attributes=True, extra="forbid")


class CaseShape(Shown):
    """One public case of a problem, with the least work it takes."""

    index: int
    label: str
    params: dict[str, int | float | str | bool]
    flops: float | None = None
    bytes: float | None = None


class ProblemOut(Shown):
    """A problem as contestants see it."""

    slug: str = Field(examples=["basics/vector_mean"])
    title: str
    digest: str
    summary: str
    statement: str = Field(description="Markdown")
    tests: list[CaseShape]
    benchmarks: list[CaseShape]
    starters: dict[str, str] = Field(description="Starter kernels: name to source")
    reference: str = Field(description="The PyTorch reference, which is also the anchor")
    ranking_by: str
    boards: list[str]


class BoardOut(Shown):
    """A board: a problem on one device."""

    name: str = Field(examples=["vector_mean-cpu"])
    problem: str
    title: str
    device: str
    opens_at: datetime | None
    closes_at: datetime | None
    is_open: bool
    entries: int = Field(description="Ranked authors")
    queued: int
    live_runners: int


class Standing(Shown):
    """One row of a board. Ranks that statistics cannot tell apart share an interval, e.g. 2 to 4."""

    rank_low: int
    rank_high: int
    submission_id: int
    run_id: int
    author: str
    file_name: str
    speedup: float = Field(description="exp(-log_ratio): how many times faster than the anchor")
    speedup_low: float
    speedup_high: float
    seconds: float
    floor_share: float | None = Field(description="Least time physics allows divided by the time taken, 0 to 1")
    noisy: bool
    runs: int = Field(description="Ranked runs of the same source, comments and spacing aside, that are pooled here")
    record: bool = Field(description="Whether its author holds the board's record")
    confirmation: ConfirmationShown = Field(description=CONFIRMATION_HELP)
    lines: int
    submitted_at: datetime


class BoardRows(Shown):
    """A board's standings, fastest first."""

    board: BoardOut
    rows: list[Standing]


class TimingOut(Shown):
    """What was measured for one case; seconds are for one call. The samples stay in the raw report."""

    pairs: int
    calls: int
    seconds: float
    anchor_seconds: float
    speedup: float
    speedup_low: float
    speedup_high: float
    noisy: bool
    resolution_seconds: float
    floor_seconds: float | None
    floor_share: float | None


class CaseOut(Shown):
    """How one case went. Of a hidden case the label is its family alone."""

    stage: Stage
    index: int
    label: str
    hidden: bool
    status: Verdict
    message: str
    error: float | None
    timing: TimingOut | None


class FindingOut(Shown):
    """What the guard saw. Authors are told the category and what to do, not the rule."""

    family: str
    effect: str
    message: str
    advice: str
    line: int
    column: int


class RunOut(Shown):
    """A run, with its report once there is one."""

    id: int
    device: str
    mode: Mode
    state: RunState
    reason: RunReason = Field(description="`confirmation`: queued by the service, to confirm a claim to the record")
    confirmation: ConfirmationShown = Field(description=CONFIRMATION_HELP)
    verdict: Verdict | None
    decision: DecisionOutcome | None
    fault: Literal["author", "ours"] | None
    message: str
    position: int | None = Field(description="Place in the queue, from 1, while queued")
    eta_seconds: float | None
    waiting_reason: str = Field(description="Why nobody can serve the run now; empty if somebody can")
    attempts: int
    queued_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    speedup: float | None
    speedup_low: float | None
    speedup_high: float | None
    seconds: float | None
    noisy: bool
    nonce: str | None = Field(description="Published with the report, so that anyone can replay the run")
    cases: list[CaseOut]
    findings: list[FindingOut]
    environment: dict[str, str]
    level: dict[str, str]
    output: str


class SubmissionOut(Shown):
    """A submission and its runs. `outcome` sums them up in one word."""

    id: int
    board: str
    problem: str
    author: str
    mode: Mode
    file_name: str
    created_at: datetime
    outcome: Outcome
    done: bool
    next_step: str = Field(description="What the author can do now, in words")
    source: str | None = Field(description="Shown to the author alone")
    runs: list[RunOut]
    confirmations: list[RunOut] = Field(description="Fresh runs by which the service confirms a claim to the record")


class SubmissionRow(Shown):
    """A submission in a list."""

    id: int
    board: str
    mode: Mode
    file_name: str
    created_at: datetime
    outcome: Outcome
    done: bool
    speedup: float | None


class SubmitJson(BaseModel):
    """A submission as JSON; multipart works as well."""

    model_config = ConfigDict(extra="forbid")
    board: str = Field(examples=["vector_mean-cpu"])
    source: str = Field(examples=["import torch\n\ndef custom_kernel(x):\n    return x.mean().reshape(1)\n"])
    file_name: str = Field(default="submission.py", max_length=200)
    mode: Mode = Mode.RANKED


class EventOut(Shown):
    """An event of a submission; `id` orders them and resumes the stream."""

    id: int
    kind: str
    data: dict[str, Any]
    created_at: datetime


class Me(Shown):
    """Who the token belongs to."""

    name: str
    is_admin: bool


class QueueOut(Shown):
    """A device's queue, as numbers only."""

    device: str
    queued: int
    running: int
    live_runners: int


class ProblemDetails(BaseModel):
    """An error, RFC 9457. `code` is stable for programs, `detail` is for people and says what to do."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
