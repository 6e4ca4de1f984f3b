"""Flushes: who may send them, what they make groups forget; and clients that repeat themselves."""

from __future__ import annotations

from flexcast_runs import PROMISES

from amcast.check import violations
from amcast.core import GroupId, MessageId, Multicast
from amcast.protocols.flexcast import FLUSH_CLIENT, FlexCast
from amcast.sim.world import World

GROUPS = ("g1", "g2", "g3", "g4")
SETS = (("g1", "g3"), ("g2", "g3", "g4"), ("g1", "g4"), ("g3", "g4"), ("g1", "g2"))


def world_of(groups: tuple[GroupId, ...] = GROUPS) -> World:
    return World(lambda group: FlexCast(group, groups), groups)


def send(world: World, client: str, seq: int, dst: tuple[GroupId, ...]) -> None:
    world.multicast(Multicast(MessageId(client, seq), dst), settled=seq)


def known(world: World) -> dict[GroupId, int]:
    """How many messages each group remembers."""
    return {group: len(each.state.history.vertices) for group, each in world.processes.items()}


def test_a_flush_makes_every_group_forget_what_precedes_it() -> None:
    world = world_of()
    for round_ in range(1, 4):
        for number, dst in enumerate(SETS):
            send(world, f"c{number}", round_, dst)
        world.settle()
        assert min(known(world).values()) > 1
        send(world, FLUSH_CLIENT, round_, GROUPS)
        world.settle()
        # The flush itself stays: it precedes all that follows.
        assert set(known(world).values()) == {1}
        for process in world.processes.values():
            state = process.state
            assert not any((state.log.entries, state.waiting, state.blocked, state.parked))
            assert state.flushes == round_
    assert violations(world.history, required=PROMISES) == []


def test_a_group_is_the_same_size_after_every_flush() -> None:
    world = world_of()
    sizes = []
    for round_ in range(1, 60):
        for number, dst in enumerate(SETS):
            send(world, f"c{number}", round_, dst)
        send(world, FLUSH_CLIENT, round_, GROUPS)
        world.settle()
        sizes.append(max(len(process.snapshot()) for process in world.processes.values()))
    # Numbers get a byte longer now and then, and that is all.
    assert sizes[-1] < 1.2 * sizes[2]


def test_a_flush_is_delivered_in_order_like_any_message() -> None:
    world = world_of()
    send(world, "c1", 1, GROUPS)
    send(world, FLUSH_CLIENT, 1, GROUPS)
    send(world, "c1", 2, GROUPS)
    world.settle()
    assert {tuple(map(str, ids)) for ids in world.delivered.values()} == {
        ("c1:1", "flush:1", "c1:2")
    }


def test_what_the_flush_client_sends_to_some_groups_is_no_flush() -> None:
    world = world_of()
    send(world, "c1", 1, ("g1", "g3"))
    send(world, FLUSH_CLIENT, 1, ("g1", "g2", "g3"))
    world.settle()
    assert known(world)["g3"] == 2
    assert all(process.state.flushes == 0 for process in world.processes.values())


def test_other_clients_cannot_flush() -> None:
    world = world_of()
    send(world, "c1", 1, GROUPS)
    world.settle()
    assert all(process.state.flushes == 0 for process in world.processes.values())


def test_messages_to_one_group_leave_no_trace_of_history() -> None:
    world = world_of(("g1",))
    send(world, "c1", 1, ("g1",))
    send(world, FLUSH_CLIENT, 1, ("g1",))
    world.settle()
    assert [str(id) for id in world.delivered["g1"]] == ["c1:1", "flush:1"]
    assert known(world) == {"g1": 0}


def test_a_local_message_does_not_wait_for_open_ones() -> None:
    world = world_of()
    send(world, "c1", 1, ("g1", "g2", "g3"))
    world.arrive(next(name for name in world.in_flight if name.target == "g1"))
    world.arrive(next(name for name in world.in_flight if name.target == "g3"))
    send(world, "c2", 1, ("g3",))
    world.arrive(next(name for name in world.in_flight if name.source == "c2"))
    assert [str(id) for id in world.delivered["g3"]] == ["c2:1"]
    world.settle()
    assert [str(id) for id in world.delivered["g3"]] == ["c2:1", "c1:1"]


def test_a_message_that_is_sent_again_is_delivered_once_even_after_a_flush() -> None:
    world = world_of()
    for _ in range(2):
        send(world, "c1", 1, ("g1", "g4"))
        send(world, FLUSH_CLIENT, 1, GROUPS)
        world.settle()
    send(world, "c1", 1, ("g1", "g4"))
    world.settle()
    assert [str(id) for id in world.delivered["g4"]] == ["c1:1", "flush:1"]
    assert violations(world.history, required=PROMISES) == []


def test_packets_are_about_one_message_whatever_history_they_carry() -> None:
    world = world_of()
    for number, dst in enumerate(SETS):
        send(world, f"c{number}", 1, dst)
    while world.in_flight:
        name, event = next(iter(world.in_flight.items()))
        if hasattr(event, "message"):
            assert len(event.message.about()) == 1
            assert str(event.message.about()[0]) == name.about
        world.arrive(name)
