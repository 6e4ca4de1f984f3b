"""Random runs of messages with and without keys, and the definition of generic delivery."""

from __future__ import annotations

from itertools import combinations
from zlib import crc32

from amcast.core import GroupId, MessageId, Multicast
from amcast.protocols.generic import Conflict, GenericMulticast, Waiting
from amcast.sim.packets import PacketName
from amcast.sim.story import broken_promises
from amcast.sim.world import World
from tests.protocols.harness import Make
from tests.protocols.random_runs import RandomRun

GROUPS_MAX = 4

CONFLICT_ORDERED = ("integrity", "validity", "agreement", "conflict_order", "genuineness")
KEYS = (None, (), ("a",), ("b",), ("c",), ("a", "b"), ("b", "c"))


def with_keys(multicast: Multicast) -> Multicast:
    """Its keys follow from its id, so that a message that is sent again has the same."""
    keys = KEYS[crc32(str(multicast.id).encode()) % len(KEYS)]
    return Multicast(multicast.id, multicast.dst, multicast.payload, keys)


class KeyedWorld(World):
    """Messages get keys when they are multicast."""

    def multicast(
        self, multicast: Multicast, home: GroupId | None = None, *, settled: int = 0
    ) -> list[PacketName]:
        return super().multicast(with_keys(multicast), home, settled=settled)


def run(seed: int, make: Make, world: type[World] = KeyedWorld) -> World:
    """The world at the end of one random schedule."""

    def make_world(groups: tuple[GroupId, ...]) -> World:
        return world(lambda group: make(group, groups), groups)

    return RandomRun(f"keyed {seed}", make_world, GROUPS_MAX).run()


def broken(seed: int, make: Make) -> tuple[str, ...]:
    return broken_promises(run(seed, make), CONFLICT_ORDERED)


class ByDefinition(GenericMulticast):
    """The delivery rule word by word: look at all pairs, and start again after each delivery."""

    def line_up(self, waiting: Waiting) -> None:
        """There is no line."""

    def step_out(self, waiting: Waiting) -> None:
        """Nor can one leave it."""

    def deliver_ready(self) -> None:
        while (ready := self.first_ready()) is not None:
            del self.state.messages[ready.multicast.id]
            self.deliver(ready.multicast)

    def first_ready(self) -> Waiting | None:
        everything = self.state.messages.values()
        in_order = sorted(everything, key=lambda each: (each.timestamp, each.multicast.id))
        for place, waiting in enumerate(in_order):
            before = in_order[:place]
            if waiting.final and not any(
                self.conflict(waiting.multicast, each.multicast) for each in before
            ):
                return waiting
        return None


def has_cycle(world: World, conflict: Conflict) -> bool:
    """Whether conflicting pairs, each in the order of some group, make a cycle: by definition."""
    known = {
        id: Multicast(id, dst, keys=keys)
        for id, dst, keys in zip(
            world.history.ids, world.history.dst, world.history.keys, strict=True
        )
        if isinstance(id, MessageId)
    }
    before = {
        (one, other)
        for ids in world.delivered.values()
        for one, other in combinations(ids, 2)
        if conflict(known[one], known[other])
    }
    left = list(known)
    while first := [id for id in left if not any((other, id) in before for other in left)]:
        left = [id for id in left if id not in first]
    return bool(left)


def sequence(world: World) -> dict[str, list[str]]:
    return {group: [str(id) for id in ids] for group, ids in world.delivered.items()}
