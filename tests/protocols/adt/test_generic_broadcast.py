"""Generic broadcast, one situation at a time."""

from __future__ import annotations

from random import Random

import pytest

from amcast.check import violations
from amcast.core import MessageId, Multicast
from amcast.protocols.generic_broadcast import GenericBroadcast
from amcast.protocols.generic_broadcast_state import BroadcastState, Numbers
from amcast.sim.packets import PacketName
from tests.mutants.adt import KeepsDecisions
from tests.protocols.adt.broadcast_runs import Broadcaster, BroadcastRun, broadcaster
from tests.protocols.adt.disaster_runs import DisasterWorld

GROUPS = ("g1", "g2", "g3", "g4")


def world_with(process: type[Broadcaster], **keys: tuple[str, ...]) -> DisasterWorld:
    """One message from a client of each named group."""
    world = DisasterWorld(process, GROUPS)
    for group, own in keys.items():
        world.multicast(Multicast(MessageId(f"of_{group}", 1), GROUPS, b"", own), home=group)
    for name in tuple(world.in_flight):
        world.arrive(name)
    return world


@pytest.mark.parametrize(
    ("groups", "quorum"), [(1, 1), (2, 2), (3, 3), (4, 3), (5, 4), (6, 5), (7, 5), (10, 7)]
)
def test_more_than_two_thirds(groups: int, quorum: int) -> None:
    names = tuple(f"g{number}" for number in range(groups))
    broadcast = GenericBroadcast(names[0], names, BroadcastState())
    assert broadcast.quorum == quorum == -(-(2 * groups + 1) // 3)


def test_what_does_not_conflict_takes_no_agreement() -> None:
    world = world_with(Broadcaster, g1=("x",), g2=("y",), g3=())
    random = Random(1)
    kinds = set()
    while world.in_flight:
        name = random.choice(tuple(world.in_flight))
        kinds.add(name.kind)
        world.arrive(name)
    assert kinds == {"tell", "ack"}
    assert [len(ids) for ids in world.delivered.values()] == [3] * 4


def test_one_slow_group_is_not_waited_for() -> None:
    world = world_with(Broadcaster, g1=("x",))
    while fast := [name for name in world.in_flight if "g4" not in name]:
        world.arrive(fast[0])
    assert [len(ids) for ids in world.delivered.values()] == [1, 1, 1, 0]


def test_conflicts_end_the_stage_in_one_order() -> None:
    world = world_with(Broadcaster, g1=("x",), g2=("x",), g3=("y",))
    world.settle()
    conflicting = [[id for id in ids if id.client != "of_g3"] for ids in world.delivered.values()]
    assert conflicting == [conflicting[0]] * 4
    assert len(conflicting[0]) == 2
    assert {p.state.broadcast.stage.number for p in world.processes.values()} == {2}
    assert violations(world.history, BroadcastRun.promises) == []


def last_words(process: type[Broadcaster]) -> list[str]:
    """g1 decides and crashes; only g2 hears of it, and g2 has not told its estimate."""
    world = world_with(process, g1=("x",), g3=("x",))

    def arrive(kind: str, targets: str) -> None:
        for name in [n for n in world.in_flight if n.kind == kind and n.target[1] in targets]:
            world.arrive(name)

    arrive("tell", "134")
    arrive("tell", "2")
    arrive("check", "134")
    arrive("check", "134")
    arrive("estimate", "1")
    decision = next(name for name in world.in_flight if name.kind == "decision")
    to_g2: PacketName = decision._replace(target="g2")
    world.arrive(to_g2)
    world.crash_group("g1", lambda: True)
    for group in ("g2", "g3", "g4"):
        world.suspect(group, "g1")
    world.settle()
    return violations(world.history, BroadcastRun.promises)


def test_who_learns_a_decision_passes_it_on() -> None:
    assert last_words(Broadcaster) == []
    assert last_words(broadcaster(KeepsDecisions.wrong))[0].startswith("validity")


def told_by_the_dead(process: type[Broadcaster], *, suspected_first: bool) -> list[str]:
    """g1 crashes while it tells its broadcast, and never told g4."""
    world = world_with(process, g1=("x",))

    def suspect() -> None:
        for group in ("g2", "g3", "g4"):
            world.suspect(group, "g1")

    del world.in_flight[PacketName("g1", "g4", "tell", "of_g1:1")]
    world.crash_group("g1", lambda: False)
    if suspected_first:
        suspect()
    world.settle()
    if not suspected_first:
        assert world.delivered["g3"]
        assert not world.delivered["g4"], "it knows the name only"
        suspect()
        world.settle()
    return violations(world.history, BroadcastRun.promises)


@pytest.mark.parametrize("suspected_first", [True, False])
def test_what_the_dead_told_some_reaches_all(suspected_first: bool) -> None:
    assert told_by_the_dead(Broadcaster, suspected_first=suspected_first) == []


def test_a_lost_group_does_not_make_the_others_remember_for_ever() -> None:
    world = world_with(Broadcaster)
    world.crash_group("g4", lambda: True)
    for group in GROUPS[:3]:
        world.suspect(group, "g4")
    for number in range(1, 2 * GenericBroadcast.acked_max + 100):
        world.multicast(Multicast(MessageId("c", number), GROUPS, b"", ()), home="g1")
        world.settle()
    assert [len(world.delivered[group]) for group in GROUPS[:3]] == [number] * 3
    for group in GROUPS[:3]:
        stage = world.processes[group].state.broadcast.stage
        assert stage.number == 3
        assert len(stage.acked) <= GenericBroadcast.acked_max


def test_numbers_are_forgotten_from_below() -> None:
    numbers = Numbers()
    for number in (2, 4, 1):
        assert not numbers.has(number)
        numbers.add(number)
    assert (numbers.next, numbers.above) == (3, {4: None})
    assert [numbers.has(number) for number in range(1, 6)] == [True, True, False, True, False]
