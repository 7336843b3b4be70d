"""Hidden timed cases: drawn from a board's secret, near the public ones and never one of them."""

from __future__ import annotations

import hashlib
import hmac
import math

from problems.model import HiddenSpec, HiddenValue, Param, ProblemSpec, SpecError

_TRIES = 1000


def resolve_hidden(spec: ProblemSpec, secret: bytes) -> list[dict[str, Param]]:
    """The hidden timed cases that `secret` determines; none equals a public case or another hidden one.

    Raises SpecError where the ranges leave no such case.
    """
    taken: list[dict[str, Param]] = [*spec.tests, *spec.benchmarks]
    cases: list[dict[str, Param]] = []
    for index, hidden in enumerate(spec.hidden):
        case = _draw_new(hidden, secret, index, taken)
        taken.append(case)
        cases.append(case)
    return cases


def _draw_new(hidden: HiddenSpec, secret: bytes, index: int, taken: list[dict[str, Param]]) -> dict[str, Param]:
    for attempt in range(_TRIES):
        case = {name: _draw(value, secret, f"hidden/{index}/{attempt}/{name}") for name, value in hidden.params.items()}
        if case not in taken:
            return case
    raise SpecError(f"task.yml: hidden[{index}]: every case it allows is public or drawn already; widen a range")


def _draw(value: HiddenValue, secret: bytes, label: str) -> Param:
    if not isinstance(value, tuple):
        return value
    # 256 bits: the bias of the remainder is far below one in 2**128.
    number = int.from_bytes(hmac.new(secret, label.encode(), hashlib.sha256).digest(), "big")
    if is_range(value):
        low, high = value
        return int(low) + number % (int(high) - int(low) + 1)
    return value[number % len(value)]


def is_range(value: tuple[Param, ...]) -> bool:
    """Whether a hidden value is a range of integers, as opposed to a choice."""
    return len(value) == 2 and all(isinstance(end, int) and not isinstance(end, bool) for end in value)


def refuse_crowded(spec: ProblemSpec) -> None:
    """At least half of what a hidden case may be must be free, so that drawing succeeds whatever the secret is."""
    public = [HiddenSpec(dict(case)) for case in (*spec.tests, *spec.benchmarks)]
    for index, hidden in enumerate(spec.hidden):
        others = [*public, *spec.hidden[:index], *spec.hidden[index + 1 :]]
        taken = sum(_may_equal(hidden, other) for other in others)
        options = math.prod(len(_options(value)) for value in hidden.params.values())
        if options < 2 * taken:
            raise SpecError(
                f"task.yml: hidden[{index}]: allows {options} cases, up to {taken} of them public or hidden elsewhere; "
                "widen a range until at least half are free"
            )


def _options(value: HiddenValue) -> range | set[Param]:
    if not isinstance(value, tuple):
        return {value}
    return range(int(value[0]), int(value[1]) + 1) if is_range(value) else set(value)


def _may_equal(one: HiddenSpec, other: HiddenSpec) -> bool:
    if one.params.keys() != other.params.keys():
        return False
    return all(_meet(_options(value), _options(other.params[name])) for name, value in one.params.items())


def _meet(one: range | set[Param], other: range | set[Param]) -> bool:
    if isinstance(one, range) and isinstance(other, range):
        return max(one[0], other[0]) <= min(one[-1], other[-1])
    few, many = (other, one) if isinstance(one, range) else (one, other)
    return any(value in many for value in few)
