"""A complete directed acyclic graph over the groups: each may send to all of higher rank.

Such a graph is nothing but an order of the groups. A message enters at the lowest of its
destinations, from where one step leads to each of the others.
"""

from __future__ import annotations

from collections.abc import Sequence

from amcast.core import GroupId, InvalidInput, check_groups


class Ranks:
    """The groups from rank 0 upwards; refused unless each has one rank. Never changes."""

    def __init__(self, groups: Sequence[GroupId], order: Sequence[GroupId] | None = None) -> None:
        self.groups = check_groups(groups)
        self.order = self.groups if order is None else _check_order(tuple(order), self.groups)
        self._ranks = {group: rank for rank, group in enumerate(self.order)}

    def __str__(self) -> str:
        return ",".join(self.order)

    def rank(self, group: GroupId) -> int:
        if group not in self._ranks:
            raise InvalidInput(f"{group!r} has no rank: the groups are {', '.join(self.groups)}")
        return self._ranks[group]

    def ranks(self, dst: Sequence[GroupId]) -> tuple[int, ...]:
        """The ranks of `dst`, lowest first."""
        return tuple(sorted(map(self.rank, dst)))

    def lowest(self, dst: Sequence[GroupId]) -> GroupId:
        """The lowest of `dst`, its common ancestor: where its messages enter."""
        return min(dst, key=self.rank)


def parse_ranks(text: str, groups: Sequence[GroupId]) -> Ranks:
    """The order that a command line names, lowest rank first: `g1,g3,g2`."""
    return Ranks(groups, [name.strip() for name in text.split(",")])


def _check_order(order: tuple[GroupId, ...], groups: Sequence[GroupId]) -> tuple[GroupId, ...]:
    for group in order:
        if group not in groups:
            raise InvalidInput(
                f"the order names {group!r}, which is no group: write each of "
                f"{', '.join(groups)} once, lowest rank first"
            )
    for rank, group in enumerate(order):
        if group in order[:rank]:
            raise InvalidInput(f"the order names {group!r} twice: a group has one rank")
    for group in groups:
        if group not in order:
            raise InvalidInput(f"group {group!r} is missing from the order: give it a rank")
    return order
