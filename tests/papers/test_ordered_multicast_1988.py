"""Garcia-Molina and Spauster, "Ordered and reliable multicast communication" (1988)."""

from __future__ import annotations

from functools import cache

import pytest

from amcast.check import violations
from amcast.lab.model_graphs import point_to_point
from amcast.overlays import PropagationGraph
from amcast.protocols import protocol_named
from amcast.protocols.propagation import Propagation
from amcast.protocols.registry import ATOMIC_MULTICAST
from tests.papers.watched_world import WatchedWorld, random_world
from tests.protocols.one_message import cost_of_one

GROUPS = tuple("abcdef")
SETS = tuple(map(tuple, ("abcdef", "cde", "ab", "f")))
GRAPH_OF_SETS = PropagationGraph.generate(GROUPS, SETS)

CLAIMS = (
    "property a", "property b", "property c", "PG1", "PG2", "PG3", "PG4",
    "figure 1", "figure 2", "figure 3", "figure 5", "figure 6", "figure 7", "table 1", "table 2",
)  # fmt: skip
GRAPH = "tests/overlays/test_propagation.py"
RUNS = "tests/protocols/propagation/test_propagation_runs.py"
RECOVERY = "tests/protocols/propagation/test_propagation_recovery.py"
ELSEWHERE = {
    "property b": f"{RUNS}::test_registered_sets_keep_all_promises",
    "property c": f"{RUNS}::test_registered_sets_keep_all_promises",
    "PG1": f"{GRAPH}::test_the_graph_has_the_papers_properties",
    "PG4": f"{GRAPH}::TestFigure3::test_a_ninth_set_keeps_the_papers_tree_and_makes_c_extra",
    "PG3": f"{GRAPH}::test_the_graph_has_the_papers_properties",
    "figure 3": "tests/protocols/propagation/test_propagation_stories.py::test_figure_3",
    "figure 2": f"{GRAPH}::test_the_other_figures",
    "figure 5": f"{GRAPH}::test_a_graph_may_be_made_by_hand_to_spread_load",
    "figure 6": f"{RECOVERY}::test_figure_6",
    "figure 7": f"{RECOVERY}::test_the_graph_of_figure_7",
    "table 2": "tests/lab/test_model_graphs.py::test_table_2_in_messages_and_delay",
}


@cache
def worlds() -> list[WatchedWorld]:
    def make(group: str) -> Propagation:
        return Propagation(group, GROUPS, GRAPH_OF_SETS)

    return [random_world(seed, make, GROUPS, sets=SETS) for seed in range(40)]


def test_property_a_what_one_site_sends_to_another_is_handled_in_that_order() -> None:
    """On each edge of the graph: what both deliver, they deliver in the same order."""
    edges = [(parent, group) for group, parent in GRAPH_OF_SETS.parents.items() if parent]
    assert edges
    for world in worlds():
        for parent, group in edges:
            above, below = world.delivered[parent], world.delivered[group]
            assert [id for id in above if id in below] == [id for id in below if id in above]


def test_pg2_one_way_leads_from_the_primary_to_each_site() -> None:
    for world in worlds():
        for id, dst in world.sets.items():
            packets = [p for p in world.arrived if p.about == str(id) and p.kind == "data"]
            reached = sorted(packet.target for packet in packets)
            assert reached == sorted({*dst} - {GRAPH_OF_SETS.primary(dst)})


def test_figure_1_two_groups_with_common_sites_that_merge_them_alike() -> None:
    """Sites x and y send to a, b, c, d, and z to c, d, e, f: one order at c and d."""
    sets = (("a", "b", "c", "d"), ("c", "d", "e", "f"))
    graph = PropagationGraph.generate(GROUPS, sets)
    for seed in range(40):
        make = lambda group: Propagation(group, GROUPS, graph)  # noqa: E731
        world = random_world(seed, make, GROUPS, sets=sets)
        assert world.delivered["c"] == world.delivered["d"]
        assert violations(world.history, ATOMIC_MULTICAST) == []


@pytest.mark.parametrize("n", [2, 3, 5])
def test_table_1_messages_and_delays_as_measured(n: int) -> None:
    """Without processing time, for a source outside; the centre is a destination."""
    latency, dst = 1.0, GROUPS[:n]
    paper = point_to_point(n, depth=GRAPH_OF_SETS.depth(GROUPS), extra=0)
    messages, delays = cost("sequencer", dst)
    assert messages == paper["centralised"].messages
    assert max(delays.values()) == paper["centralised"].delay(latency, 0)
    # The paper's source asks each destination itself. Here the first of them does, which saves
    # what it would ask and tell itself, and costs the way from the source.
    messages, delays = cost("two-phase", dst)
    assert messages == paper["two-phase"].messages - 3 + 1
    assert max(delays.values()) == paper["two-phase"].delay(latency, 0) + 1


def test_table_1_for_propagation_as_measured() -> None:
    for dst in SETS:
        depth = GRAPH_OF_SETS.depth(dst)
        paper = point_to_point(len(dst), depth=depth, extra=len(GRAPH_OF_SETS.extra(dst)))
        messages, delays = cost("propagation", dst)
        assert messages == paper["propagation"].messages
        assert max(delays.values()) == paper["propagation"].delay(1.0, 0)


def cost(protocol: str, dst: tuple[str, ...]) -> tuple[int, dict[str, float]]:
    overlay = GRAPH_OF_SETS if protocol == "propagation" else None
    return cost_of_one(protocol_named(protocol).factory(GROUPS, overlay), GROUPS, dst, [None])
