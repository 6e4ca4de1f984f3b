"""gTPC-C: TPC-C whose remote warehouses are near ones, as described and as measured.

Batista, Coelho, Alchieri, Dotti and Pedone, "FlexCast: genuine overlay-based atomic multicast"
(2023). The paper's description and the client that was published with it differ, so both are
here: one to compare workloads as described, the other to compare latencies as measured.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, combinations
from random import Random
from typing import Final

from amcast.core import GroupId, InvalidInput, check_groups, destinations
from amcast.workloads.draw import (
    PLAIN,
    Destinations,
    Draw,
    HomeTable,
    SetTable,
    bits_of,
    check_share,
    listed,
)
from amcast.workloads.tpcc import (
    BYTES,
    ITEMS_MAX,
    ITEMS_MIN,
    MIX,
    NEW_ORDER,
    PAYMENT,
    REMOTE_PAYMENT,
    Mix,
    OrderLines,
    new_order_bytes,
)
from amcast.workloads.uniform import UniformSets

Nearest = Mapping[GroupId, Sequence[GroupId]]

GTPCC_REMOTE_ITEM: Final = 0.02
WAREHOUSES_MAX: Final = 3


class GtpccPaper:
    """As the paper describes it.

    A remote warehouse is the nearest with probability `locality`, otherwise the next nearest
    with the same probability, and so on; the last one of the list takes what is left. Every
    remote item chooses for itself, so two may choose the same. Orders for more than three
    warehouses are drawn again. `global_only` leaves new orders and payments, each with at least
    one remote warehouse; otherwise the whole mix is drawn, local transactions included.
    """

    def __init__(
        self,
        groups: Sequence[GroupId],
        nearest: Nearest,
        locality: float,
        *,
        global_only: bool = True,
    ) -> None:
        names = check_groups(groups)
        bits = bits_of(names)
        self._sets = SetTable(names)
        self._bits = HomeTable(bits)
        self._remote = {
            home: tuple(bits[group] for group in others)
            for home, others in _remote_groups(check_nearest(names, nearest)).items()
        }
        self._ends = _nearness(check_share("locality", locality), len(names))
        self._remote_payment = 1.0 if global_only else REMOTE_PAYMENT
        self._remote_min = 1 if global_only else 0
        self._lines = OrderLines(GTPCC_REMOTE_ITEM, remote_min=self._remote_min)
        self._mix = Mix({kind: MIX[kind] for kind in (NEW_ORDER, PAYMENT)} if global_only else MIX)

    def draw(self, home: GroupId, random: Random) -> Draw:
        home_bit = self._bits[home]
        kind = self._mix.draw(random)
        if kind == NEW_ORDER:
            return self._draw_order(home, home_bit, random)
        mask = home_bit
        if kind == PAYMENT and random.random() < self._remote_payment:
            mask |= self._draw_remote(home, random)
        return Draw(self._sets[mask], BYTES[kind], kind, None)

    def sets(self) -> tuple[Destinations, ...] | None:
        return listed(self._possible_sets())

    def _possible_sets(self) -> Iterator[Destinations]:
        for home, home_bit in self._bits.items():
            remote = self._possible_remotes(home)
            for count in range(self._remote_min, WAREHOUSES_MAX):
                for chosen in combinations(remote, count):
                    yield self._sets[home_bit | sum(chosen)]

    def _possible_remotes(self, home: GroupId) -> dict[int, None]:
        """Those that some random number chooses: a locality of 0 or 1 leaves only one."""
        remote = self._remote[home]
        starts = (0.0, *self._ends)
        ends = (*self._ends[: len(remote) - 1], 1.0)
        ranges = zip(remote, starts, ends, strict=False)
        return {bit: None for bit, start, end in ranges if start < min(end, 1.0)}

    def _draw_order(self, home: GroupId, home_bit: int, random: Random) -> Draw:
        # Ends: one remote item, so two warehouses, is by far the most likely outcome.
        while True:
            items, remote = self._lines.draw(random)
            mask = home_bit
            for _ in range(remote):
                mask |= self._draw_remote(home, random)
            if mask.bit_count() <= WAREHOUSES_MAX:
                return Draw(self._sets[mask], new_order_bytes(items), NEW_ORDER, None)

    def _draw_remote(self, home: GroupId, random: Random) -> int:
        remote = self._remote[home]
        choice = bisect_right(self._ends, random.random())
        return remote[choice] if choice < len(remote) else remote[-1]


class GtpccEvaluation:
    """As the published evaluation's client drew destinations.

    With locality L a message goes to two groups with probability L, to three otherwise: home
    and the nearest (else the second), home and the two nearest (else the second and the third),
    again with probability L. Lists are taken as they are: one that names its home gives fewer
    groups. L = 0 means 2 to n random groups, home or not. `local_share` of the messages stay at
    home. Without `payload` a message is one byte; with it, a transaction type is drawn that has
    no influence on the destinations.
    """

    def __init__(
        self,
        groups: Sequence[GroupId],
        nearest: Nearest,
        locality: float,
        *,
        local_share: float = 0.0,
        payload: bool = False,
    ) -> None:
        names = check_groups(groups)
        self._locality = check_share("locality", locality)
        self._local_share = check_share("local share", local_share)
        self._mix = Mix(MIX) if payload else None
        self._anywhere: UniformSets | None = None
        self._choices: HomeTable[tuple[Destinations, ...]] = HomeTable()
        if locality == 0:
            if len(names) < 2:
                raise InvalidInput("gTPC-C needs at least two groups")
            self._anywhere = UniformSets(names, sizes=range(2, len(names) + 1))
            self._choices.update((home, ((home,),)) for home in names)
        else:
            self._choices.update(_evaluation_choices(names, check_nearest(names, nearest)))

    def draw(self, home: GroupId, random: Random) -> Draw:
        choices = self._choices[home]
        if self._local_share and random.random() < self._local_share:
            dst = choices[0]
        elif self._anywhere is not None:
            dst = self._anywhere.draw(home, random).dst
        else:
            three = random.random() >= self._locality
            farther = random.random() >= self._locality
            dst = choices[1 + 2 * three + farther]
        return self._with_payload(dst, random)

    def sets(self) -> tuple[Destinations, ...] | None:
        anywhere: tuple[Destinations, ...] | None = ()
        if self._anywhere is not None and self._local_share < 1:
            anywhere = self._anywhere.sets()
        return None if anywhere is None else listed((*self._near_sets(), *anywhere))

    def _near_sets(self) -> Iterator[Destinations]:
        for own, *others in self._choices.values():
            if self._local_share:
                yield own
            if self._local_share < 1:
                # With full locality, home and its nearest is all there is.
                yield from others[:1] if self._locality == 1 else others

    def _with_payload(self, dst: Destinations, random: Random) -> Draw:
        if self._mix is None:
            return Draw(dst, 1, PLAIN, None)
        kind = self._mix.draw(random)
        if kind == NEW_ORDER:
            items = ITEMS_MIN + int(random.random() * (ITEMS_MAX - ITEMS_MIN + 1))
            return Draw(dst, new_order_bytes(items), kind, None)
        return Draw(dst, BYTES[kind], kind, None)


def check_nearest(groups: Destinations, nearest: Nearest) -> dict[GroupId, Destinations]:
    """Every group's list of nearest groups, as given, refused when it is missing or unknown."""
    for group in groups:
        if not nearest.get(group):
            raise InvalidInput(f"group {group!r} has no list of nearest groups: gTPC-C needs one")
        for near in nearest[group]:
            if near not in groups:
                raise InvalidInput(
                    f"the nearest groups of {group!r} name {near!r}, which is no group: "
                    f"the groups are {', '.join(groups)}"
                )
    return {group: tuple(nearest[group]) for group in groups}


def _remote_groups(nearest: Mapping[GroupId, Destinations]) -> dict[GroupId, Destinations]:
    """The lists without their home: a published one names it, and it is no remote warehouse."""
    remote = {}
    for home, near in nearest.items():
        remote[home] = tuple(group for group in near if group != home)
        if not remote[home]:
            raise InvalidInput(
                f"gTPC-C needs a remote warehouse, but group {home!r} has no other group "
                "in its list of nearest ones"
            )
    return remote


def _nearness(locality: float, group_count: int) -> tuple[float, ...]:
    """Where the nearest, the next nearest, ... end in [0, 1): each takes `locality` of the rest."""
    shares = (locality * (1 - locality) ** position for position in range(group_count))
    return tuple(accumulate(shares))


def _evaluation_choices(
    groups: Destinations, nearest: Mapping[GroupId, Destinations]
) -> dict[GroupId, tuple[Destinations, ...]]:
    """Home -> itself; with the nearest, the second; with the two nearest, the next two."""
    choices = {}
    for home, near in nearest.items():
        if len(near) < 3:
            raise InvalidInput(
                "the evaluation's gTPC-C needs three nearest groups, "
                f"but {home!r} has {len(near)}: use four groups or more, or workload gtpcc"
            )
        first, second, third = near[:3]
        wanted = ((), (first,), (second,), (first, second), (second, third))
        choices[home] = tuple(destinations((home, *others), groups) for others in wanted)
    return choices
