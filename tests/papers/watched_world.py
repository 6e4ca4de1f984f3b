"""Random schedules in which every packet and what each group knew when it delivered are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from amcast.core import GroupId, MessageId, Multicast
from amcast.sim.packets import PacketName
from amcast.sim.world import ProcessFactory, World


class WatchedWorld(World):
    """`arrived` has all packets in order; `deliveries` those before it, for each delivery."""

    def __init__(self, factory: ProcessFactory, groups: tuple[GroupId, ...], watch: Any) -> None:
        super().__init__(factory, groups)
        self.arrived: list[PacketName] = []
        self.packets_before: dict[tuple[GroupId, MessageId], int] = {}
        self.knew: dict[tuple[GroupId, MessageId], Any] = {}
        self.sets: dict[MessageId, tuple[GroupId, ...]] = {}
        self._watch = watch

    def multicast(self, multicast: Multicast, *args: Any, **kwargs: Any) -> list[PacketName]:
        self.sets[multicast.id] = multicast.dst
        return super().multicast(multicast, *args, **kwargs)

    def arrive(self, name: PacketName) -> None:
        self.arrived.append(name)
        super().arrive(name)

    def _deliver(self, member: str, group: GroupId, multicast: Multicast) -> None:
        self.packets_before[group, multicast.id] = len(self.arrived)
        self.knew[group, multicast.id] = self._watch(self.processes[member])
        super()._deliver(member, group, multicast)

    def common(self, one: MessageId, other: MessageId) -> list[GroupId]:
        return [group for group in self.sets[one] if group in self.sets[other]]


def random_world(
    seed: int,
    factory: ProcessFactory,
    groups: tuple[GroupId, ...],
    *,
    watch: Callable[[Any], Any] = lambda process: None,
    sets: Sequence[tuple[GroupId, ...]] = (),
) -> WatchedWorld:
    """Ten messages, to any groups or to one of `sets`; packets arrive in any order."""
    random = Random(f"papers {seed}")
    world = WatchedWorld(factory, groups, watch)
    for number in range(10):
        size = random.choice((1, 2, 2, 3, len(groups)))
        dst = random.choice(sets) if sets else tuple(sorted(random.sample(groups, size)))
        world.multicast(Multicast(MessageId(f"c{random.randrange(100)}", number), dst))
        for _ in range(random.randrange(12)):
            if world.in_flight:
                world.arrive(random.choice([*world.in_flight]))
    while world.in_flight:
        world.arrive(random.choice([*world.in_flight]))
    return world
