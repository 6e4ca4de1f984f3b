"""Destination sets without any preference, of chosen sizes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb
from random import Random

from amcast.core import GroupId, InvalidInput, check_groups
from amcast.workloads.draw import PLAIN, SIZE_BYTES, Destinations, Draw, check_size_bytes, listed

# Up to here all sets of one size are listed in advance, because picking one is then one index.
LISTED_SETS_MAX = 20_000


class UniformSets:
    """A uniform number of destinations out of `sizes`, then a uniform set of that many."""

    def __init__(
        self,
        groups: Sequence[GroupId],
        *,
        sizes: Sequence[int] = (1, 2),
        size_bytes: int = SIZE_BYTES,
    ) -> None:
        self._groups = check_groups(groups)
        self._sizes = _check_sizes(sizes, len(self._groups))
        self._size_bytes = check_size_bytes(size_bytes)
        self._listed = tuple(self._list_draws(size) for size in self._sizes)

    def draw(self, home: GroupId, random: Random) -> Draw:
        choice = int(random.random() * len(self._sizes))
        listed = self._listed[choice]
        if listed:
            return listed[int(random.random() * len(listed))]
        positions = random.sample(range(len(self._groups)), self._sizes[choice])
        return self._draw_of([self._groups[position] for position in sorted(positions)])

    def sets(self) -> tuple[Destinations, ...] | None:
        return listed(dst for size in self._sizes for dst in combinations(self._groups, size))

    def _list_draws(self, size: int) -> tuple[Draw, ...]:
        """Empty when there are too many to list."""
        if comb(len(self._groups), size) > LISTED_SETS_MAX:
            return ()
        return tuple(self._draw_of(dst) for dst in combinations(self._groups, size))

    def _draw_of(self, dst: Iterable[GroupId]) -> Draw:
        return Draw(tuple(dst), self._size_bytes, PLAIN, None)


def _check_sizes(sizes: Sequence[int], group_count: int) -> tuple[int, ...]:
    if not sizes:
        raise InvalidInput("a uniform workload needs at least one number of destinations")
    for size in sizes:
        if size < 1:
            raise InvalidInput(f"a message to {size} groups is not possible: use 1 or more")
        if size > group_count:
            raise InvalidInput(
                f"a message to {size} groups is not possible: there are only {group_count}"
            )
    return tuple(sizes)
