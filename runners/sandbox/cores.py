"""Which core the judge takes and which the contestant."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class CorePlan:
    """Cores by number. `own_core` says that the contestant shares none of its cores with the judge."""

    judge: int
    contestant: tuple[int, ...]
    own_core: bool


def plan_cores(limit: int | None = None) -> CorePlan:
    """Divide the cores that this process may use: the first for the judge, the others for the contestant.

    At most `limit` cores go to the contestant. With a single core both share it.
    """
    if limit is not None and limit < 1:
        raise ValueError(f"a contestant needs at least one core, not {limit}")
    first, *others = sorted(os.sched_getaffinity(0))
    if not others:
        return CorePlan(first, (first,), own_core=False)
    return CorePlan(first, tuple(others[:limit]), own_core=True)
