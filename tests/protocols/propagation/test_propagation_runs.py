"""Thousands of random schedules without a violation, and every known bug found by them."""

from __future__ import annotations

from random import Random

import pytest
from propagation_mutants import STATIC_MUTANTS
from propagation_runs import Options, RandomRun

from amcast.core import GroupId
from amcast.overlays import PropagationGraph, Tree
from amcast.protocols.propagation import Propagation, Request
from amcast.protocols.registry import ATOMIC_MULTICAST
from amcast.sim.fuzz import fuzz_one
from amcast.sim.world import ProcessFactory

SEEDS = 1500
FAULTS = 300


def test_registered_sets_keep_all_promises() -> None:
    delivered = genuine = 0
    for seed in range(SEEDS):
        run = RandomRun(seed, options=Options(restores=0.05))
        assert run.run() == [], f"seed {seed}"
        delivered += sum(map(len, run.world.delivered.values()))
        genuine += "genuineness" in run.promises()
    assert delivered > 20 * SEEDS
    assert SEEDS / 4 < genuine < SEEDS, "graphs with and without extra groups"


def test_a_set_with_extra_groups_is_not_genuine() -> None:
    runs = [RandomRun(seed) for seed in range(FAULTS)]
    with_extra = [run for run in runs if "genuineness" not in run.promises()]
    for run in with_extra:
        run.promises = lambda: ("genuineness",)  # type: ignore[method-assign]
    # A run may by chance send nothing to the sets that need extra groups.
    assert sum(run.run() != [] for run in with_extra) > len(with_extra) / 2


class Counting(Propagation):
    requests = 0

    def on_message(self, source: GroupId, message: object) -> None:
        type(self).requests += isinstance(message, Request)
        super().on_message(source, message)  # type: ignore[arg-type]


@pytest.mark.parametrize("trees", [False, True], ids=["generated graphs", "trees"])
def test_changes_of_the_graph_keep_all_promises(trees: bool) -> None:
    Counting.requests = 0
    for seed in range(SEEDS):
        options = Options(changes=1 + seed % 4, restores=0.05, trees=trees)
        run = RandomRun(seed, Counting, options)
        assert run.run() == [], f"seed {seed}"
        for process in run.world.processes.values():
            assert not process.state.waiting
            assert not process.state.early
            assert process.state.graph == len(run.graphs) - 1
    # Otherwise nothing was ever sent to a group that had ceased to be primary.
    assert Counting.requests > SEEDS


@pytest.mark.parametrize("mutant", STATIC_MUTANTS, ids=lambda mutant: mutant.__name__)
def test_a_bug_of_the_static_protocol_is_found(mutant: type[Propagation]) -> None:
    assert any(RandomRun(seed, mutant).run() for seed in range(FAULTS))


def any_graph(groups: tuple[GroupId, ...], random: Random) -> tuple[str, ProcessFactory]:
    """A chain, or a tree as the tree protocol has it: both serve every set."""
    shape = random.choice((Tree.star, Tree.chain, Tree.binary))(groups)
    graph = random.choice(
        (
            PropagationGraph.for_any_set(groups),
            PropagationGraph(groups, {group: shape.parent(group) for group in groups}),
        )
    )
    return f"parents {graph.parents}", lambda group: Propagation(group, groups, graph)


def test_trees_that_serve_every_set_keep_the_promises_too() -> None:
    for seed in range(SEEDS):
        assert fuzz_one(seed, any_graph, ATOMIC_MULTICAST) is None, f"seed {seed}"
