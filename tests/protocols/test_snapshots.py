"""A process that is replaced by a copy of its snapshot goes on as if nothing had happened."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amcast.core import MessageId, Multicast, destinations
from amcast.protocols import PROTOCOLS, ProcessFactory
from amcast.sim.world import World

GROUPS = ("g1", "g2", "g3", "g4")
CLIENTS = ("c1", "c2")
MESSAGES = 8
# A star would never forward twice.
OVERLAYS = {"tree": "chain"}


def factory_of(protocol: str) -> ProcessFactory:
    return PROTOCOLS[protocol].factory(GROUPS, OVERLAYS.get(protocol))


class Twins:
    """Two worlds with the same schedule; in the second, processes are replaced now and then."""

    def __init__(self, factory: ProcessFactory, random: Random) -> None:
        self.factory = factory
        self.random = random
        self.plain = World(factory, GROUPS)
        self.replaced = World(factory, GROUPS)
        self.sent: list[Multicast] = []

    def run(self) -> None:
        while self._act():
            for group in GROUPS:
                if self.random.random() < 0.4:
                    self._replace(group)
            self._compare()

    def _act(self) -> bool:
        """One step at random; False when nothing is left to do."""
        world = self.plain
        actions = [("arrive", name) for name in world.in_flight]
        if self.random.random() < 0.2 or not actions:
            actions.extend(("fire", timer) for timer in world.timers)
        if len(self.sent) < MESSAGES and (not actions or self.random.random() < 0.3):
            self._multicast()
            return True
        if not actions:
            return False
        kind, what = self.random.choice(actions)
        for each in (self.plain, self.replaced):
            if kind == "arrive":
                each.arrive(what)
            else:
                each.fire(*what)
        return True

    def _multicast(self) -> None:
        client = self.random.choice(CLIENTS)
        own = [multicast for multicast in self.sent if multicast.id.client == client]
        wanted = self.random.sample(GROUPS, self.random.randint(1, len(GROUPS)))
        dst = destinations(wanted, GROUPS)
        multicast = Multicast(MessageId(client, len(own) + 1), dst, b"hello", ("k1",))
        open_seqs = [each.id.seq for each in own if not self._finished(each)]
        settled = min(open_seqs, default=multicast.id.seq)
        self.sent.append(multicast)
        for world in (self.plain, self.replaced):
            world.multicast(multicast, settled=settled)

    def _finished(self, multicast: Multicast) -> bool:
        return all(multicast.id in self.plain.delivered[group] for group in multicast.dst)

    def _replace(self, group: str) -> None:
        snapshot = self.replaced.processes[group].snapshot()
        fresh = self.factory(group)
        fresh.restore(snapshot)
        assert fresh.snapshot() == snapshot
        self.replaced.processes[group] = fresh

    def _compare(self) -> None:
        assert self.replaced.delivered == self.plain.delivered
        assert list(self.replaced.in_flight.items()) == list(self.plain.in_flight.items())
        assert self.replaced.timers == self.plain.timers
        for group in GROUPS:
            ours, theirs = self.replaced.processes[group], self.plain.processes[group]
            assert ours.snapshot() == theirs.snapshot()


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(seed=st.integers(0, 2**32))
def test_a_run_goes_on_identically_from_snapshots(protocol: str, seed: int) -> None:
    twins = Twins(factory_of(protocol), Random(seed))
    twins.run()
    assert len(twins.sent) == MESSAGES
    assert all(twins._finished(multicast) for multicast in twins.sent)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_snapshot_in_the_middle_holds_what_waits(protocol: str) -> None:
    """Not only empty states were compared: the middle of a run differs from its beginning."""
    factory = factory_of(protocol)
    world = World(factory, GROUPS)
    world.multicast(Multicast(MessageId("c1", 1), GROUPS))
    world.arrive(next(iter(world.in_flight)))
    changed = [g for g in GROUPS if world.processes[g].snapshot() != factory(g).snapshot()]
    assert changed
    for group in changed:
        fresh = factory(group)
        fresh.restore(world.processes[group].snapshot())
        assert fresh.state == world.processes[group].state
        assert fresh.channels == world.processes[group].channels
