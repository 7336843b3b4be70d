"""What a value depends on: this call's input, or what an earlier call left."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

Alternatives = frozenset[frozenset[str]]
IN = "in"
PLAIN: Alternatives = frozenset({frozenset()})
FRESH: Alternatives = frozenset({frozenset({IN})})
_MAX_ALTERNATIVES = 8


@dataclass
class State:
    """What local names and cells hold on one way through the code; `ended` once the way has returned."""

    local: dict[str, Alternatives] = field(default_factory=dict)
    cells: dict[str, Alternatives] = field(default_factory=dict)
    stirred: bool = False
    ended: bool = False

    def copy(self) -> State:
        """Another way that starts here."""
        return State(dict(self.local), dict(self.cells), self.stirred, self.ended)


def has_old(held: Alternatives) -> bool:
    """Whether on some way the value depends on what an earlier call left."""
    return any(tag.startswith("old:") for way in held for tag in way)


def is_stored(held: Alternatives) -> bool:
    """Whether on some way the value is an earlier call's."""
    return any(way and IN not in way for way in held)


def with_input(held: Alternatives) -> Alternatives:
    """`held`, after something computed from the input may have been written to it."""
    return frozenset(way | {IN} for way in held)


def either(*held: Alternatives) -> Alternatives:
    """What depends on one of `held`."""
    ways = frozenset().union(*held)
    return ways if len(ways) <= _MAX_ALTERNATIVES else FRESH


def both(held: list[Alternatives]) -> Alternatives:
    """What depends on all of `held` at once."""
    made = PLAIN
    for one in held:
        made = frozenset(left | right for left, right in itertools.product(made, one))
        if len(made) > _MAX_ALTERNATIVES:
            return FRESH
    return made
