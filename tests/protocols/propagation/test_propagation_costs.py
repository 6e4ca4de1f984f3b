"""An isolated message takes exactly the delays and messages that the paper says."""

from __future__ import annotations

import pytest

from amcast.core import GroupId, InvalidInput
from amcast.overlays import PropagationGraph
from amcast.protocols.propagation import Propagation
from tests.protocols.one_message import cost_of_one

GROUPS = tuple("abcdefghj")
# The example of Figure 3, the set that needs an extra group, and some local messages.
SETS = ("cd", "abc", "bcde", "def", "ef", "bg", "ch", "dj", "ad", "a", "d")
GRAPHS = {rank: PropagationGraph.generate(GROUPS, SETS, rank) for rank in ("dce", "")}


def cost(
    graph: PropagationGraph, dst: tuple[GroupId, ...], home: GroupId | None
) -> tuple[int, dict[GroupId, float]]:
    return cost_of_one(lambda group: Propagation(group, GROUPS, graph), GROUPS, dst, [home])


def below(graph: PropagationGraph, group: GroupId, primary: GroupId) -> int:
    levels = 0
    while group != primary:
        parent = graph.parents[group]
        assert parent is not None
        group = parent
        levels += 1
    return levels


@pytest.mark.parametrize("rank", GRAPHS)
@pytest.mark.parametrize("dst", [tuple(dst) for dst in SETS], ids="-".join)
def test_delays_and_messages(rank: str, dst: tuple[GroupId, ...]) -> None:
    graph = GRAPHS[rank]
    primary, extra = graph.primary(dst), len(graph.extra(dst))
    for home in (None, *dst):
        messages, delays = cost(graph, dst, home)
        away = home != primary
        assert messages == away + len(dst) - 1 + extra
        assert max(delays.values()) == away + graph.depth(dst)
        assert delays == {group: away + below(graph, group, primary) for group in dst}


def test_other_sets_are_refused() -> None:
    process = Propagation("a", GROUPS, GRAPHS[""])
    for dst in (("a", "b"), GROUPS):
        with pytest.raises(InvalidInput, match="were not registered"):
            process.entry(dst, None)


def test_without_a_graph_every_set_is_served() -> None:
    process = Propagation("a", GROUPS)
    assert process.entry(("c", "e"), None) == ("c",)
    assert process.entry(GROUPS, None) == ("a",)
