"""Destinations from an explicit list, and the lists of a published evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from random import Random
from typing import Final

from amcast.core import GroupId, InvalidInput, check_groups, destinations
from amcast.workloads.draw import (
    PLAIN,
    SIZE_BYTES,
    Destinations,
    Draw,
    check_size_bytes,
    listed,
)

THESIS_NAMES: Final = ("d1", "d2", "d3", "d3prime", *(f"m{size}" for size in range(1, 8)))

# Positions in the thesis' tree, 1 > 2, 3; 2 > 4, 5; 3 > 6, 7: each parent and its children.
_EVERYONE: Final = range(7)
_FAMILIES: Final = ((0, 1, 2), (1, 3, 4), (2, 5, 6))

# The groups of region R2, where the clients of the near destinations are.
_NEAR_CLIENTS: Final = (1, 3, 4)

_Positions = tuple[int, ...]


class FixedSets:
    """One of the given destination sets, each as likely as the others."""

    def __init__(
        self,
        groups: Sequence[GroupId],
        sets: Iterable[Iterable[GroupId]],
        *,
        size_bytes: int = SIZE_BYTES,
    ) -> None:
        names = check_groups(groups)
        check_size_bytes(size_bytes)
        self._draws = tuple(
            Draw(destinations(wanted, names), size_bytes, PLAIN, None) for wanted in sets
        )
        if not self._draws:
            raise InvalidInput("a workload of fixed sets needs at least one set")

    def draw(self, home: GroupId, random: Random) -> Draw:
        return self._draws[int(random.random() * len(self._draws))]

    def sets(self) -> tuple[Destinations, ...] | None:
        return listed(draw.dst for draw in self._draws)


def thesis_sets(name: str, groups: Sequence[GroupId]) -> tuple[Destinations, ...]:
    """The destination sets of Inzaghi Pronesti's thesis on genuineness (2019), by name.

    `d1`, `d2`, `d3`: the sets of height at most 1, 2, 3 in the binary tree of seven groups;
    `d3prime`: the pairs of height 3; `m1`..`m7`: that many groups, near to the second.
    """
    if name not in THESIS_NAMES:
        raise InvalidInput(f"no destination sets {name!r}: there is {', '.join(THESIS_NAMES)}")
    names = check_groups(groups)
    if len(names) != len(_EVERYONE):
        raise InvalidInput(
            f"workload {name} is made for exactly 7 groups, not for {len(names)}: use --groups 7"
        )
    chosen = _near(int(name[1:])) if name.startswith("m") else _by_height(name)
    return tuple(tuple(names[position] for position in positions) for positions in chosen)


def _by_height(name: str) -> list[_Positions]:
    if name == "d1":
        return [*combinations(_EVERYONE, 1)]
    if name == "d3prime":
        return [pair for pair in combinations(_EVERYONE, 2) if not _is_low(pair)]
    sizes = range(1, len(_EVERYONE) + 1)
    everything = [found for size in sizes for found in combinations(_EVERYONE, size)]
    return everything if name == "d3" else [found for found in everything if _is_low(found)]


def _is_low(positions: _Positions) -> bool:
    """Height 1 or 2: all in one family."""
    return any(all(position in family for position in positions) for family in _FAMILIES)


def _near(size: int) -> list[_Positions]:
    """The sets of `size` groups that the thesis calls near to the clients' region."""
    if size <= 3:
        return [*combinations(_NEAR_CLIENTS, size)]
    if size == 4:
        return [(0, *_NEAR_CLIENTS)]
    return [(0, *others) for others in combinations(_EVERYONE[1:], size - 1)]
