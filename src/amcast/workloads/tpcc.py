"""TPC-C as destinations: a warehouse is a group, a transaction goes to the ones it touches."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate, combinations
from math import comb
from random import Random
from typing import Final

from amcast.core import GroupId, check_groups
from amcast.workloads.draw import Destinations, Draw, HomeTable, SetTable, bits_of, listed

NEW_ORDER: Final = "new-order"
PAYMENT: Final = "payment"

# Transaction -> its share of the mix, in percent.
MIX: Final = {NEW_ORDER: 45, PAYMENT: 43, "order-status": 4, "delivery": 4, "stock-level": 4}

ITEMS_MIN: Final = 5
ITEMS_MAX: Final = 15
REMOTE_ITEM: Final = 0.01
REMOTE_PAYMENT: Final = 0.15

# Payload bytes as the published gTPC-C client encodes transactions.
BYTES: Final = {PAYMENT: 17, "order-status": 9, "delivery": 13, "stock-level": 13}


def new_order_bytes(items: int) -> int:
    return 13 + 8 * items


class Mix:
    """Transaction types with the given weights."""

    def __init__(self, shares: Mapping[str, int]) -> None:
        self._kinds = tuple(shares)
        self._ends = tuple(accumulate(shares.values()))

    def draw(self, random: Random) -> str:
        return self._kinds[bisect_right(self._ends, random.random() * self._ends[-1])]


class OrderLines:
    """How many items a new order has, and how many of them are remote: (items, remote).

    Drawn at once from the joint distribution. Drawing each item would need ten random numbers,
    and an order that must be global would be thrown away four times out of five.
    """

    def __init__(self, remote_item: float, *, remote_min: int = 0) -> None:
        self._outcomes = tuple(
            (items, remote)
            for items in range(ITEMS_MIN, ITEMS_MAX + 1)
            for remote in range(remote_min, items + 1)
        )
        self._ends = tuple(
            accumulate(
                comb(items, remote) * remote_item**remote * (1 - remote_item) ** (items - remote)
                for items, remote in self._outcomes
            )
        )

    def draw(self, random: Random) -> tuple[int, int]:
        return self._outcomes[bisect_right(self._ends, random.random() * self._ends[-1])]


class TpccMix:
    """The standard mix: most transactions stay at home, remote warehouses are uniform.

    With 1 % of the items and 15 % of the payments remote, about one transaction in nine is
    global. A single warehouse has no remote ones: everything stays at home.
    """

    def __init__(self, groups: Sequence[GroupId]) -> None:
        names = check_groups(groups)
        self._mix = Mix(MIX)
        self._lines = OrderLines(REMOTE_ITEM)
        self._sets = SetTable(names)
        bits = bits_of(names)
        self._bits = HomeTable(bits)
        self._others = {
            home: tuple(bit for group, bit in bits.items() if group != home) for home in names
        }

    def draw(self, home: GroupId, random: Random) -> Draw:
        mask = self._bits[home]
        kind = self._mix.draw(random)
        if kind == NEW_ORDER:
            items, remote = self._lines.draw(random)
            size_bytes = new_order_bytes(items)
        else:
            remote = 1 if kind == PAYMENT and random.random() < REMOTE_PAYMENT else 0
            size_bytes = BYTES[kind]
        others = self._others[home]
        if others:
            for _ in range(remote):
                mask |= others[int(random.random() * len(others))]
        return Draw(self._sets[mask], size_bytes, kind, None)

    def sets(self) -> tuple[Destinations, ...] | None:
        """Every item of an order may come from another warehouse."""
        names = tuple(self._bits)
        sizes = range(1, min(len(names), 1 + ITEMS_MAX) + 1)
        return listed(dst for size in sizes for dst in combinations(names, size))
