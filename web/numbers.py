"""Numbers as people read them: one unit a column, no more digits than the measurement carries."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, datetime

FIGURE_SPACE = "\u2007"
ABSENT = "–"
_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_SCALES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def significant(value: float, digits: int = 3) -> str:
    """`value` with `digits` significant digits, in plain notation: 0.00123, 1.23, 1230."""
    if not math.isfinite(value):
        return ABSENT
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    rounded = round(value, digits - 1 - magnitude)
    magnitude = math.floor(math.log10(abs(rounded)))
    return f"{rounded:.{max(0, digits - 1 - magnitude)}f}"


def time_unit(seconds: Iterable[float | None]) -> str:
    """The unit in which the smallest of `seconds` is at least 1, so that no figure of the column begins with 0."""
    known = [value for value in seconds if value is not None and value > 0 and math.isfinite(value)]
    smallest = min(known, default=1.0)
    return next((name for size, name in _UNITS if smallest >= size), "ns")


def in_unit(seconds: float | None, unit: str) -> str:
    """`seconds` in `unit`, three significant digits, without the unit."""
    if seconds is None:
        return ABSENT
    size = next(size for size, name in _UNITS if name == unit)
    return significant(seconds / size)


def duration(seconds: float | None) -> str:
    """`seconds` with the unit that suits it: ``3.42 µs``."""
    if seconds is None:
        return ABSENT
    unit = time_unit([seconds])
    return f"{in_unit(seconds, unit)}\u202f{unit}"


def decimals_for(low: float, high: float) -> int:
    """How many decimals an estimate with the interval `low` to `high` carries: its half-width in one or two digits.

    One digit of the half-width, two if that digit is 1, as is usual for standard uncertainties; at most 6.
    """
    half = abs(high - low) / 2
    if not math.isfinite(half) or half <= 0:
        return 3
    magnitude = math.floor(math.log10(half))
    leading = half / 10**magnitude
    return min(6, max(0, -magnitude + (1 if leading < 2 else 0)))


def with_interval(value: float, low: float, high: float) -> tuple[str, str, str]:
    """`value`, `low` and `high` with the decimals that their uncertainty allows."""
    places = decimals_for(low, high)
    return f"{value:.{places}f}", f"{low:.{places}f}", f"{high:.{places}f}"


def plus_minus(low: float, high: float) -> str:
    """Half the interval's width, as the figure behind ±."""
    return f"{abs(high - low) / 2:.{decimals_for(low, high)}f}"


def aligned(texts: list[str]) -> list[str]:
    """`texts` padded with figure spaces so that, set right-aligned in one font, their decimal points meet."""
    tails = [len(text.partition(".")[2]) + ("." in text) for text in texts]
    widest = max(tails, default=0)
    return [text + FIGURE_SPACE * (widest - tail) for text, tail in zip(texts, tails, strict=True)]


def percent(share: float | None) -> str:
    """A share from 0 to 1 as a percentage of two digits (three from 99.5 on), without the sign."""
    if share is None or not math.isfinite(share):
        return ABSENT
    value = share * 100
    return significant(value, 2) if value < 99.5 else f"{value:.0f}"


def error_ratio(error: float | None) -> str:
    """An error divided by its limit, two digits; what is far below or far above 1 only by its size."""
    if error is None or not math.isfinite(error):
        return ABSENT
    if 0 < error < 0.001:
        return "<\u202f0.001"
    if error < 10_000:
        return significant(error, 2)
    mantissa, _, exponent = f"{error:.1e}".partition("e+")
    return f"{mantissa}\u202f×\u202f10{exponent.lstrip('0').translate(_SUPERSCRIPTS)}"


def scaled(count: float | None, unit: str) -> str:
    """A large count with an SI prefix: ``4.19 MB``, ``1.05 Mflop``; exact below a thousand."""
    if count is None:
        return ABSENT
    for size, prefix in _SCALES:
        if count >= size:
            return f"{significant(count / size)}\u202f{prefix}{unit}"
    return f"{count:g}\u202f{unit}"


def ranks(low: int, high: int) -> str:
    """A rank, or the ranks that statistics cannot tell apart: ``2–4``."""
    return str(low) if low == high else f"{low}–{high}"


def ago(moment: datetime, now: datetime | None = None) -> str:
    """How long ago `moment` was, in its largest unit."""
    return f"{_span(((now or datetime.now(UTC)) - moment).total_seconds())} ago"


def until(moment: datetime, now: datetime | None = None) -> str:
    """How long it is until `moment`, in its largest unit."""
    return _span((moment - (now or datetime.now(UTC))).total_seconds())


def is_future(moment: datetime) -> bool:
    """Whether `moment` is still to come."""
    return moment > datetime.now(UTC)


def wait(seconds: float) -> str:
    """About how long one waits, no finer than seconds."""
    return "less than a second" if seconds < 1 else _span(seconds)


def _span(seconds: float) -> str:
    seconds = max(0.0, seconds)
    for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {name}{'' if count == 1 else 's'}"
    count = int(seconds)
    return f"{count} second{'' if count == 1 else 's'}"


def moment_text(moment: datetime) -> str:
    """A moment to the second, in UTC: ``2026-03-01 12:30:05 UTC``."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
