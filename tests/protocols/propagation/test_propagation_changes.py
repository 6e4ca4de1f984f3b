"""Changes of the graph, one situation at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from amcast.check import violations
from amcast.core import MessageId, Multicast, Received, Send, Submitted
from amcast.overlays import PropagationGraph, Tree
from amcast.protocols.propagation import Propagation, Request, change_to
from amcast.protocols.registry import ATOMIC_MULTICAST, GENUINE_MULTICAST
from amcast.sim.world import PacketName, World

HERE = Path(__file__).parent
GROUPS = tuple("abc")
# The primary of a,b is b, then a; that of b,c is b, then there is none; c has nothing at last.
FIRST = PropagationGraph.generate(GROUPS, ("ab", "bc"))
SECOND = PropagationGraph.generate(GROUPS, ("ab", "ac"))
THIRD = PropagationGraph.generate(GROUPS, ("ab",), rank="b")


def make(group: str) -> Propagation:
    return Propagation(group, GROUPS, FIRST, manager="a")


def message(text: str, dst: str) -> Multicast:
    return Multicast(MessageId.parse(text), tuple(dst))


def submit(client: str, target: str, text: str) -> PacketName:
    return PacketName(client, target, "submit", text)


def test_a_message_and_a_change_that_overtake_each_other() -> None:
    """y:1 was sent to b as the primary of a,b, and gets there when that is a."""
    world = World(make, GROUPS)
    world.multicast(message("x:1", "ab"))
    world.multicast(message("y:1", "ab"))
    world.multicast(change_to(SECOND, 1))
    world.arrive(submit("x", "b", "x:1"))
    world.arrive(submit("graph", "a", "graph:1"))
    world.arrive(PacketName("a", "b", "close", "graph:1"))
    # While b is closed, it orders nothing.
    world.arrive(submit("y", "b", "y:1"))
    world.settle()
    world.multicast(message("z:1", "ac"))
    world.settle()
    assert violations(world.history, GENUINE_MULTICAST) == []
    told = "\n".join(world.narrative) + "\n"
    assert told == (HERE / "change_of_primary.txt").read_text()


def test_a_message_waits_for_a_graph_that_serves_its_destinations() -> None:
    world = World(make, GROUPS)
    world.multicast(message("x:1", "bc"))
    world.multicast(change_to(SECOND, 1))
    world.arrive(submit("graph", "a", "graph:1"))
    late = submit("x", "b", "x:1")
    while [*world.in_flight] != [late]:
        world.arrive(next(name for name in world.in_flight if name != late))
    world.settle()
    assert all(MessageId("x", 1) not in ids for ids in world.delivered.values())
    world.multicast(change_to(FIRST, 2))
    world.settle()
    assert violations(world.history, GENUINE_MULTICAST) == []
    assert world.delivered["c"][-1] == ("x", 1)


def test_a_group_that_lost_its_sets_still_sends_requests_on() -> None:
    """Were the new graph opened only where it serves somebody, y:1 would be lost in c."""
    only_c = PropagationGraph("abc", {"b": "c"}, ("bc", "c"))
    world = World(lambda group: Propagation(group, GROUPS, only_c, manager="a"), GROUPS)
    world.multicast(message("y:1", "bc"))
    late = submit("y", "c", "y:1")
    moved = PropagationGraph("abc", {"c": "b"}, ("bc", "b"))
    world.multicast(change_to(moved, 1))
    while [*world.in_flight] != [late]:
        world.arrive(next(name for name in world.in_flight if name != late))
    world.settle()
    assert violations(world.history, GENUINE_MULTICAST) == []
    assert world.delivered["c"] == [("graph", 1), ("y", 1)]


def test_a_request_from_a_newer_graph_waits_and_is_not_sent_back() -> None:
    new_primary = make("a")
    request = Received("b", 1, Request(message("y:1", "ab"), 1, 0))
    assert new_primary.step(request) == []
    effects = new_primary.step(Submitted(change_to(SECOND, 1)))
    assert not any(isinstance(e, Send) and isinstance(e.message, Request) for e in effects)


def test_overlapping_changes_are_opened_in_their_order_everywhere() -> None:
    """Graphs have different edges, so that a later one may reach a group first."""
    world = World(make, GROUPS)
    for number, graph in enumerate((SECOND, THIRD, FIRST), start=1):
        world.multicast(change_to(graph, number))
        world.arrive(submit("graph", "a", f"graph:{number}"))
    while world.in_flight:
        # The newest packet first.
        world.arrive([*world.in_flight][-1])
    for group in GROUPS:
        assert world.delivered[group] == [("graph", 1), ("graph", 2), ("graph", 3)]
        assert world.processes[group].graph.parents == FIRST.parents


@pytest.mark.parametrize(
    "payload",
    [
        b"nonsense",
        b"\x81\xa1\xff\xc0",
        change_to(PropagationGraph("x", {}), 1).payload + b"\x00",
    ],
)
def test_a_change_that_is_no_graph_changes_nothing(payload: bytes) -> None:
    process = make("a")
    assert process.step(Submitted(Multicast(MessageId("graph", 1), GROUPS, payload))) == []
    assert process.step(Submitted(change_to(SECOND, 2))) != []


def test_without_a_manager_nobody_changes_the_graph() -> None:
    process = Propagation("b", GROUPS, FIRST)
    process.step(Submitted(message("graph:1", "ab")))
    assert process.state.announced == 0
    assert process.graph is FIRST


def test_a_change_reaches_the_manager_by_way_of_any_group() -> None:
    (effect,) = make("b").step(Submitted(change_to(SECOND, 1)))
    assert isinstance(effect, Send)
    assert effect.target == "a"
    manager = make("a")
    assert manager.step(Received("b", 1, effect.message)) != []
    assert manager.state.announced == 1


def test_a_group_forgets_what_clients_have_finished() -> None:
    world = World(make, GROUPS)
    for number in range(1, 100):
        world.multicast(message(f"x:{number}", "ab"), settled=number)
        world.settle()
    for group in "ab":
        assert len(world.processes[group].submissions.clients["x"].above) == 1


def test_a_tree_can_be_changed_while_messages_flow() -> None:
    """The overlay of the tree protocol is a graph that serves every set."""
    groups = tuple(f"g{number}" for number in range(1, 8))

    def as_graph(tree: Tree) -> PropagationGraph:
        return PropagationGraph(groups, {group: tree.parent(group) for group in groups})

    start = as_graph(Tree.star(groups))
    world = World(lambda group: Propagation(group, groups, start, manager="g4"), groups)
    trees = (Tree.binary(groups), Tree.chain(groups[::-1]), Tree.star(groups, "g5"))
    for number, tree in enumerate(trees, start=1):
        for first in range(6):
            dst = groups[first : first + 2]
            world.multicast(Multicast(MessageId(f"c{first}", number), dst))
        # Any destinations are served, so a change must be taken to the manager itself.
        change = change_to(as_graph(tree), number)
        world.multicast(change)
        for name in [*world.in_flight][::-1][:10]:
            world.arrive(name)
    world.settle()
    assert violations(world.history, ATOMIC_MULTICAST) == []
    assert all(process.state.graph == 3 for process in world.processes.values())
