"""Messages that always go to the sender's own group, and some of them to another one as well."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from amcast.core import GroupId, InvalidInput, check_groups, destinations
from amcast.workloads.draw import (
    PLAIN,
    SIZE_BYTES,
    Destinations,
    Draw,
    HomeTable,
    check_share,
    check_size_bytes,
    listed,
)

# About as many transactions of TPC-C touch more than one warehouse.
GLOBAL_SHARE: Final = 0.1


class HomeMix:
    """With probability `global_share` home and one of the others, else home alone.

    The pattern of Schiper, Sutra and Pedone's empirical study (2009), where "the vast majority"
    of global messages involve two groups; here all of them do.
    """

    def __init__(
        self,
        groups: Sequence[GroupId],
        *,
        global_share: float = GLOBAL_SHARE,
        size_bytes: int = SIZE_BYTES,
    ) -> None:
        names = check_groups(groups)
        check_size_bytes(size_bytes)
        self._share = check_share("global share", global_share)
        if self._share and len(names) < 2:
            raise InvalidInput("global messages need at least two groups: use --groups 2 or more")
        self._local: HomeTable[Draw] = HomeTable()
        self._global: HomeTable[tuple[Draw, ...]] = HomeTable()
        for home in names:
            self._local[home] = Draw((home,), size_bytes, PLAIN, None)
            self._global[home] = tuple(
                Draw(destinations((home, other), names), size_bytes, PLAIN, None)
                for other in names
                if other != home
            )

    def draw(self, home: GroupId, random: Random) -> Draw:
        if random.random() >= self._share:
            return self._local[home]
        choices = self._global[home]
        return choices[int(random.random() * len(choices))]

    def sets(self) -> tuple[Destinations, ...] | None:
        local = self._local.values() if self._share < 1 else ()
        wide = (each for draws in self._global.values() for each in draws) if self._share else ()
        return listed(draw.dst for draws in (local, wide) for draw in draws)
