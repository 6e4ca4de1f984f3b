"""What is left of a propagation graph when groups have failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from amcast.core import GroupId
from amcast.overlays.propagation import PropagationGraph, Route, Sets

Destinations = tuple[GroupId, ...]


class Remaining(PropagationGraph):
    """A graph that some groups are not in; messages to them still go to the others."""

    def __init__(
        self,
        groups: Sequence[GroupId],
        parents: Mapping[GroupId, GroupId | None],
        sets: Sets | None,
        rank: Sequence[GroupId],
        absent: Destinations,
    ) -> None:
        super().__init__(groups, parents, sets, rank)
        self.absent = absent

    def serves(self, dst: Destinations) -> bool:
        return super().serves(self._present(dst))

    def route_of(self, dst: Destinations) -> Route:
        return super().route_of(self._present(dst))

    def _present(self, dst: Destinations) -> Destinations:
        return tuple(group for group in dst if group not in self.absent)


@lru_cache(maxsize=64)
def without(graph: PropagationGraph, absent: Destinations) -> PropagationGraph:
    """The graph of the same sets, as far as their groups are not absent."""
    if not absent:
        return graph
    if graph.sets is None:
        present = [group for group in graph.groups if group not in absent]
        chain = dict(zip(present, (None, *present), strict=False))
        return Remaining(graph.groups, chain, None, (), absent)
    smaller = [[group for group in dst if group not in absent] for dst in graph.sets]
    made = PropagationGraph.generate(graph.groups, filter(None, smaller), graph.rank)
    return Remaining(made.groups, made.parents, made.sets, made.rank, absent)
