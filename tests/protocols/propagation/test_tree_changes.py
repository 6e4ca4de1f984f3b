"""Trees and graphs that change while messages flow, in the drivers as they are."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from propagation_mutants import DYNAMIC_MUTANTS, ForgetsRemovedGroups, IgnoresGraphNumbers

from amcast import Parameters, simulate
from amcast.core import GroupId, MessageId, Multicast
from amcast.overlays import PropagationGraph, Tree
from amcast.protocols import protocol_named
from amcast.protocols.propagation import MANAGER_CLIENT, Propagation
from amcast.protocols.registry import ATOMIC_MULTICAST
from amcast.protocols.tree import change_to_tree, make_tree
from amcast.scenarios import Run
from amcast.sim import Explorer, HistoryRecorder, Setup, fuzz_faults_one, fuzz_one
from amcast.sim.explore import Exploration
from amcast.sim.world import World

CHANGES = {"changes": "yes"}
GROUPS = tuple("abcd")
SETS = "g1+g2,g2,g1"


def shapes(name: str) -> Any:
    """Random trees, and graphs for the sets that two groups have."""

    def draw(groups: tuple[GroupId, ...], random: Random) -> Setup:
        overlay = SETS if name == "propagation" else random.choice(("star", "chain", "binary"))
        sets = [("g1", "g2"), ("g2",), ("g1",)] if name == "propagation" else None
        return Setup(overlay, protocol_named(name).factory(groups, overlay, options=CHANGES), sets)

    return draw


@pytest.mark.parametrize("name", ["tree", "propagation"])
def test_random_schedules_with_changes_keep_all_promises(name: str) -> None:
    promises = protocol_named(name).promises
    for seed in range(150):
        assert fuzz_one(seed, shapes(name), promises, flush_client=MANAGER_CLIENT) is None, seed


def test_bad_times_with_changes_keep_all_promises() -> None:
    for seed in range(4):
        failure = fuzz_faults_one(seed, shapes("tree"), ATOMIC_MULTICAST, flush_client="graph")
        assert failure is None, seed


@pytest.mark.parametrize(
    "mutant",
    [each for each in DYNAMIC_MUTANTS if each is not ForgetsRemovedGroups],
    ids=lambda mutant: mutant.__name__,
)
def test_such_schedules_find_bugs(mutant: type[Propagation]) -> None:
    """All but one: in a tree that is for all sets, no group is removed."""

    def draw(groups: tuple[GroupId, ...], random: Random) -> Setup:
        graph = PropagationGraph.of_tree(random.choice((Tree.star, Tree.chain))(groups))
        return Setup("", lambda group: mutant(group, groups, graph, manager=groups[0]))

    runs = (fuzz_one(seed, draw, ATOMIC_MULTICAST, flush_client="graph") for seed in range(1000))
    assert any(runs)


def exploration(process: type[Propagation]) -> Exploration:
    """Two messages and a change of root, in every order; g3's way is different in the new tree."""
    groups = ("g1", "g2", "g3")
    graph = PropagationGraph.of_tree(Tree.star(groups))
    multicasts = [
        (Multicast(MessageId("c1", 1), ("g2", "g3")), None),
        (Multicast(MessageId("c2", 1), ("g2", "g3")), None),
        (Multicast(MessageId(MANAGER_CLIENT, 1), groups), None),
    ]
    make = lambda group: process(group, groups, graph, manager="g1")  # noqa: E731
    return Explorer(make, groups, multicasts, ATOMIC_MULTICAST).explore()


def test_a_change_of_tree_in_every_interleaving() -> None:
    found = exploration(Propagation)
    assert found.complete
    assert found.violations == ()
    assert found.states > 100
    assert exploration(IgnoresGraphNumbers).violations


@pytest.mark.parametrize("name", ["tree", "propagation"])
@pytest.mark.parametrize("replicas", [1, 3])
def test_simulations_with_changes_keep_all_promises(name: str, replicas: int) -> None:
    parameters = Parameters(
        protocol=name, options=CHANGES, messages=200, flush_ms=40, replicas=replicas, groups=4
    )
    outcome, verdict = simulate(parameters)
    assert verdict.ok
    assert outcome.messages == outcome.completed == 200, "changes are no messages of clients"


class Changes(HistoryRecorder):
    """How many changes each group delivers."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = Counter[GroupId]()

    def delivery(self, process: str, group: GroupId, seq: int, msg: MessageId, at_us: int) -> None:
        self.seen[group] += msg.client == MANAGER_CLIENT


def changes_of(options: dict[str, str]) -> list[int]:
    recorder = Changes()
    Run(Parameters(protocol="tree", options=options, messages=100, flush_ms=40)).simulate(recorder)
    return [*recorder.seen.values()]


def test_a_tree_changes_only_if_it_is_asked_to() -> None:
    assert changes_of({}) == [0, 0, 0]
    first, *others = changes_of(CHANGES)
    assert first > 3
    assert others == [first, first]


def test_messages_enter_at_the_root_of_the_tree_that_is_open() -> None:
    world = World(lambda group: make_tree(group, GROUPS, changes=True), GROUPS)
    process = world.processes["c"]
    assert process.entry(GROUPS, None) == ("a",)
    world.multicast(change_to_tree(Tree.star(GROUPS, "d"), 1))
    world.settle()
    assert process.entry(GROUPS, None) == ("d",)
    # A change that names no tree lets the manager take the next one.
    world.multicast(Multicast(MessageId(MANAGER_CLIENT, 2), GROUPS))
    world.settle()
    assert process.entry(GROUPS, None) == ("b",)
    assert process.entry(("c",), None) == ("c",)


def test_graphs_take_turns() -> None:
    graph = PropagationGraph.of_tree(Tree.chain(GROUPS))
    assert graph.turned(1).parents == {"a": "d", "b": None, "c": "b", "d": "c"}
    assert graph.turned(4).parents == graph.parents
    some = PropagationGraph.generate(GROUPS, ("ab", "cd"))
    assert some.roots == ("a", "c")
    assert some.turned(1).roots == ("b", "c")
    assert some.turned(1).sets == some.sets
