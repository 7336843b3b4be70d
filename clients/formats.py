"""How single values are written: times, speed-ups, shares, outcomes."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from rich.text import Text

from clients import results
from clients.clean import line

GOOD = frozenset({"passed", "ranked"})
UNDECIDED = frozenset({"queued", "running", "judged", "review", "cancelled"})
UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))


def outcome(word: str) -> Text:
    """An outcome or verdict, coloured; the word alone says it too."""
    style = "green" if word in GOOD else "yellow" if word in UNDECIDED else "red"
    return Text(line(word, 20).replace("_", " "), style=style)


def unit_for(seconds: Iterable[float]) -> tuple[str, float]:
    """The one unit for a column of times, and its length in seconds: the largest that the least time reaches."""
    least = min((value for value in seconds if value > 0), default=1.0)
    return next(((name, scale) for name, scale in UNITS if least >= scale), UNITS[-1])


def digits(value: float) -> str:
    """Three significant digits, without an exponent where a reader can do without."""
    if value != value or abs(value) >= 1e7:
        return f"{value:.3g}"
    places = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return f"{value:.{places}f}"


def number(value: float | None) -> str:
    """A number to three significant digits; nothing for None."""
    return "" if value is None else f"{value:.3g}"


def error(value: float | None) -> str:
    """An error in units of its limit; small ones are not worth their digits."""
    return "<0.001" if value is not None and 0 < value < 0.001 else number(value)


def speedup(value: float | None, noisy: bool = False) -> str:
    """``1.84×``; with ``~`` where the measurement stayed noisy."""
    return "" if value is None else f"{'~' if noisy else ''}{digits(value)}×"


def interval(low: float, high: float) -> str:
    """``1.80–1.88``."""
    return f"{digits(low)}–{digits(high)}"


def share(value: float | None) -> str:
    """A share as a percentage."""
    return "" if value is None else f"{100 * value:.0f} %"


def rank(low: int, high: int) -> str:
    """A rank, or the ranks that statistics cannot tell apart."""
    return str(low) if low == high else f"{low}–{high}"


def moment(when: datetime | None) -> str:
    """A time in UTC, to the minute."""
    if when is None:
        return ""
    return (when.astimezone(UTC) if when.tzinfo else when).strftime("%Y-%m-%d %H:%M UTC")


def window(board: results.Board) -> str:
    """Whether a board takes submissions, and until or from when."""
    if board.is_open:
        return f"until {moment(board.closes_at)}" if board.closes_at else "yes"
    now = datetime.now(UTC)
    if board.opens_at and board.opens_at.tzinfo and board.opens_at > now:
        return f"from {moment(board.opens_at)}"
    return "closed"
