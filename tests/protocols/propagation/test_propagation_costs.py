"""An isolated message takes exactly the delays and messages that the paper says."""

from __future__ import annotations

import pytest

from amcast.core import GroupId, InvalidInput
from amcast.overlays import PropagationGraph
from amcast.protocols.propagation import Propagation
from amcast.sim import ClientPlan, Network, Simulation, SimulationPlan
from amcast.sim.recorder import HistoryRecorder

DELAY_US = 1000
GROUPS = tuple("abcdefghj")
# The example of Figure 3, the set that needs an extra group, and some local messages.
SETS = ("cd", "abc", "bcde", "def", "ef", "bg", "ch", "dj", "ad", "a", "d")
GRAPHS = {rank: PropagationGraph.generate(GROUPS, SETS, rank) for rank in ("dce", "")}


class Counter(HistoryRecorder):
    """Counts packets, submissions of outside clients included, and notes who delivers when."""

    def __init__(self) -> None:
        super().__init__()
        self.messages = 0
        self.delays: dict[GroupId, float] = {}

    def packet(self, *row: object) -> None:  # type: ignore[override]
        self.messages += 1

    def delivery(self, process: str, group: GroupId, seq: int, msg: object, at_us: int) -> None:  # type: ignore[override]
        self.delays[group] = at_us / DELAY_US


def cost(
    graph: PropagationGraph, dst: tuple[GroupId, ...], home: GroupId | None
) -> tuple[int, dict[GroupId, float]]:
    sites = (*GROUPS, "client")
    plan = SimulationPlan(
        groups=GROUPS,
        network=Network({a: {b: 0 if a == b else DELAY_US for b in sites} for a in sites}),
        placement={group: group for group in GROUPS},
        clients=[ClientPlan(home or GROUPS[0], home or "client", inside=home is not None)],
        draw=lambda near, random: (dst, 80, "multicast", None),
        messages=1,
    )
    counter = Counter()
    Simulation(plan, lambda group: Propagation(group, GROUPS, graph), recorder=counter).run()
    return counter.messages, counter.delays


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
