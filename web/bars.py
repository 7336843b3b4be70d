"""Geometry of the small bars in table cells, in percent of the cell's width."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

_MARGIN = 3.0
_THINNEST = 1.2


@dataclass(frozen=True)
class Interval:
    """An interval bar: from `left`, `width` wide, its estimate at `dot`. All in percent."""

    left: float
    width: float
    dot: float


@dataclass(frozen=True)
class Scale:
    """A logarithmic scale of speed-ups shared by all rows of a table. `one` is where the anchor stands."""

    low: float
    high: float

    @property
    def one(self) -> float:
        """Where a speed-up of 1 is, in percent."""
        return self.at(1.0)

    def at(self, speedup: float) -> float:
        """Where `speedup` is, in percent."""
        span = math.log(self.high) - math.log(self.low)
        share = (math.log(min(max(speedup, self.low), self.high)) - math.log(self.low)) / span
        return round(_MARGIN + share * (100 - 2 * _MARGIN), 2)

    def interval(self, value: float, low: float, high: float) -> Interval:
        """The bar of an estimate; never too thin to see."""
        left, right = self.at(low), self.at(high)
        if right - left < _THINNEST:
            middle = (left + right) / 2
            left, right = middle - _THINNEST / 2, middle + _THINNEST / 2
        return Interval(round(left, 2), round(right - left, 2), self.at(value))


def scale(intervals: Iterable[tuple[float, float]]) -> Scale:
    """The scale on which all of `intervals`, and 1, have their place."""
    bounds = [bound for pair in intervals for bound in pair if bound > 0 and math.isfinite(bound)]
    low, high = min([1.0, *bounds]), max([1.0, *bounds])
    return Scale(low, high) if high / low > 1.02 else Scale(low / 1.01, high * 1.01)


def share_width(share: float | None) -> float:
    """The width of the bar of a share from 0 to 1, in percent."""
    return 0.0 if share is None else round(min(max(share, 0.0), 1.0) * 100, 2)
