"""A protocol that must know its destination sets learns them from the workload."""

from __future__ import annotations

from dataclasses import replace

import pytest

from amcast.core import GroupId, InvalidInput
from amcast.overlays import PropagationGraph
from amcast.protocols import protocol_named
from amcast.protocols.propagation import Propagation
from amcast.scenarios import Parameters, Run, fuzz_protocol
from amcast.workloads import draw


def graph_of(run: Run) -> PropagationGraph:
    process = run.factory(run.scenario.groups[0])
    assert isinstance(process, Propagation)
    return process.graph


def test_the_sets_of_the_workload_are_registered() -> None:
    run = Run(Parameters(protocol="propagation", groups=7, workload="m2"))
    graph = graph_of(run)
    assert graph.sets == (("g2", "g4"), ("g2", "g5"), ("g4", "g5"))
    assert graph.roots == ("g1", "g2", "g3", "g6", "g7"), "g4 and g5 are below g2"
    assert run.verify()[1].ok


@pytest.mark.parametrize("workload", ["gtpcc", "gtpcc-evaluation"])
def test_near_sets_make_a_graph_that_is_no_chain(workload: str) -> None:
    run = Run(Parameters(protocol="propagation", scenario="aws12", workload=workload, locality=1))
    graph = graph_of(run)
    assert max(graph.depth(dst) for dst in graph.sets or ()) == 1
    assert run.verify()[1].ok


def test_too_many_sets_are_served_by_a_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draw, "REGISTERED_SETS_MAX", 3)
    run = Run(Parameters(protocol="propagation", groups=4, workload="tpcc"))
    graph = graph_of(run)
    assert graph.sets is None
    assert [*graph.parents.values()] == [None, "g1", "g2", "g3"]


def test_sets_that_are_not_registered_are_refused_before_the_run() -> None:
    with pytest.raises(InvalidInput, match=r"^destinations g1, g3 were not registered"):
        Run(Parameters(protocol="propagation", overlay="g1+g2,g2+g3", sizes=(2,)))
    named = Parameters(protocol="propagation", overlay="g1+g2,g2+g3,g1+g3", sizes=(2,))
    assert Run(named).verify()[1].ok


def test_random_worlds_have_graphs_that_branch_and_graphs_with_extra_groups() -> None:
    graphs: list[PropagationGraph] = []

    class Collecting(Propagation):
        def __init__(
            self, group: GroupId, groups: tuple[GroupId, ...], graph: PropagationGraph
        ) -> None:
            super().__init__(group, groups, graph)
            graphs.append(graph)

    protocol = replace(protocol_named("propagation"), process=Collecting, options={})
    for seed in range(1, 51):
        assert fuzz_protocol(protocol, seed) is None
    assert any(len(graph.children(group)) > 1 for graph in graphs for group in graph.groups)
    assert any(graph.extra(dst) for graph in graphs for dst in graph.sets or ())
