"""Inzaghi, "BaseCast and TreeCast" (2019): algorithms, figures of executions, chapter 3."""

from __future__ import annotations

from amcast.check import violations
from amcast.core import GroupId, MessageId
from amcast.overlays import Tree
from amcast.protocols import protocol_named
from amcast.protocols.registry import ATOMIC_MULTICAST
from tests.check.small_histories import run
from tests.papers.watched_world import random_world

GROUPS = tuple(f"g{number}" for number in range(1, 8))
TREE = Tree.binary(GROUPS)

CLAIMS = (
    "algorithm 1", "algorithm 2", "figure 3.1", "figure 3.2", "figure 3.3", "figure 5.2",
    "main invariant", "lca", "first example", "other valid example", "invalid example",
)  # fmt: skip
SCENARIOS = "tests/scenarios/test_scenarios_run.py"
ELSEWHERE = {
    "algorithm 1": "tests/protocols/test_costs.py::TestOutside::test_decentralised",
    "algorithm 2": "tests/protocols/test_costs.py::TestOutside::test_tree",
    "first example": "tests/stories/skeen-thesis.story",
    "figure 3.1": "tests/stories/basecast.story",
    "figure 3.2": "tests/stories/tree.story",
    "figure 5.2": f"{SCENARIOS}::test_the_2019_overlays_are_a_star_and_a_binary_tree",
}


def example(g1: str, g2: str) -> list[str]:
    """Section 2.3: foo:1 is for g1, var:1 for g2, and foo:2 and var:2 for both."""
    sets = {"foo:1": "g1", "foo:2": "g1 g2", "var:1": "g2", "var:2": "g1 g2"}
    return violations(run(sets, {"g1/0": g1, "g2/0": g2}), ATOMIC_MULTICAST)


def test_other_valid_example_a_local_message_may_come_last() -> None:
    assert example("foo:1 foo:2 var:2", "foo:2 var:2 var:1") == []


def test_invalid_example_two_orders_of_what_is_for_both() -> None:
    broken = example("foo:1 var:2 foo:2", "foo:2 var:2 var:1")
    assert "prefix_order" in [found.partition(":")[0] for found in broken]


def test_figure_3_3_seven_groups_in_a_binary_tree() -> None:
    assert {group: TREE.children(group) for group in GROUPS[:4]} == {
        "g1": ("g2", "g3"),
        "g2": ("g4", "g5"),
        "g3": ("g6", "g7"),
        "g4": (),
    }


def test_lca_a_message_enters_at_the_lowest_common_ancestor_and_stays_below() -> None:
    for seed in range(40):
        world = random_world(seed, protocol_named("tree").factory(GROUPS, TREE), GROUPS)
        for id, dst in world.sets.items():
            packets = [packet for packet in world.arrived if packet.about == str(id)]
            assert [p.target for p in packets if p.kind == "submit"] == [TREE.lca(dst)]
            for packet in packets:
                if packet.kind == "down":
                    assert TREE.parent(packet.target) == packet.source


def test_main_invariant_lower_groups_preserve_the_order_of_higher_ones() -> None:
    """Also where a group above is no destination: what counts is the order in which it sent."""
    sent = 0
    for seed in range(40):
        world = random_world(seed, protocol_named("tree").factory(GROUPS, TREE), GROUPS)
        for group in GROUPS[1:]:
            order = [id for id in orders_of(world.narrative, group) if group in world.sets[id]]
            assert order == [id for id in world.delivered[group] if id in order]
            sent += len(order)
    assert sent > 500


def orders_of(narrative: list[str], group: GroupId) -> list[MessageId]:
    """What the parent sent to `group`, in that order."""
    lines = [line for line in narrative if line.startswith("  sends down(")]
    ids = [
        line[len("  sends down(") :].split(")")[0] for line in lines if line.endswith(f" {group}")
    ]
    return [MessageId.parse(id) for id in ids]
