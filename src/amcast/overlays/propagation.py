"""Propagation graphs: a forest in which the messages of each destination set flow downwards.

The generator is Garcia-Molina and Spauster's ("Ordered and reliable multicast communication",
1988). Our groups are what they call sites, and a set of destinations that messages are sent to
is what they call a multicast group; it must be known before the graph is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from amcast.core import GroupId, InvalidInput, check_groups, destinations
from amcast.overlays.tree import Tree

Destinations = tuple[GroupId, ...]
Sets = Iterable[Iterable[GroupId]]
Parents = dict[GroupId, GroupId | None]

# A graph that takes any destinations must not remember all of them for ever.
CACHED_ROUTES_MAX = 1 << 16


class Route(NamedTuple):
    """How the messages to one set of destinations flow."""

    primary: GroupId
    # Every group that handles the message -> the children it passes it to.
    children: Mapping[GroupId, Destinations]
    depth: int
    # Groups that handle the message although they are no destinations.
    extra: Destinations


class PropagationGraph:
    """A forest over all groups, made once; a change of destination sets needs a new graph.

    `sets` are the destination sets it serves; any other is refused. Without them it serves every
    set that lies in one tree. A group that is in no set is a root without children.
    """

    def __init__(
        self,
        groups: Sequence[GroupId],
        parents: Mapping[GroupId, GroupId | None],
        sets: Sets | None = None,
        rank: Sequence[GroupId] = (),
    ) -> None:
        self.groups = check_groups(groups)
        # How ties were broken, for whoever must make the graph again without some groups.
        self.rank = tuple(rank)
        self.parents = _check_forest(self.groups, parents)
        self.roots = tuple(group for group in self.groups if self.parents[group] is None)
        self.sets = None if sets is None else _without_repeats(sets, self.groups)
        self._children: dict[GroupId, Destinations] = dict.fromkeys(self.groups, ())
        for group, parent in self.parents.items():
            if parent is not None:
                self._children[parent] += (group,)
        self._routes = {dst: self._find_route(dst) for dst in self.sets or ()}

    @classmethod
    def generate(
        cls, groups: Sequence[GroupId], sets: Sets, rank: Sequence[GroupId] = ()
    ) -> PropagationGraph:
        """The paper's graph. Of groups in equally many sets, the first in `rank` is taken.

        The paper leaves such ties open, but they decide about depth and extra groups. Groups
        that `rank` does not name follow in the order of the configuration.
        """
        names = check_groups(groups)
        wanted = _without_repeats(sets, names)
        _check_known((*rank,), names, "rank")
        ranked = enumerate(dict.fromkeys((*rank, *names)))
        positions = {group: position for position, group in ranked}
        return cls(names, _generate(names, wanted, positions), wanted, rank)

    @classmethod
    def for_any_set(cls, groups: Sequence[GroupId]) -> PropagationGraph:
        """The graph that `generate` makes of all sets there are, which is a chain."""
        return cls(groups, dict(zip(groups, (None, *groups), strict=False)))

    @classmethod
    def of_tree(cls, tree: Tree) -> PropagationGraph:
        """A tree as a graph that serves every set, often through groups that are not in it."""
        return cls(tree.groups, {group: tree.parent(group) for group in tree.groups})

    def turned(self, by: int) -> PropagationGraph:
        """Another graph for the same sets: each group in the place of one further on.

        Where only some sets are served, the groups change places where ties are broken.
        """
        first = by % len(self.groups)
        order = (*self.groups[first:], *self.groups[:first])
        if self.sets is not None:
            return PropagationGraph.generate(self.groups, self.sets, order)
        place = dict(zip(self.groups, order, strict=True))
        above = {place[group]: parent for group, parent in self.parents.items()}
        parents = {group: parent and place[parent] for group, parent in above.items()}
        return PropagationGraph(self.groups, parents)

    def children(self, group: GroupId) -> Destinations:
        return self._children[group]

    def serves(self, dst: Destinations) -> bool:
        """Whether messages may be sent to `dst`."""
        return dst in self._routes or (self.sets is None and _common(self._paths(dst)) > 0)

    def primary(self, dst: Destinations) -> GroupId:
        """Where messages to `dst` enter: the member that all others are below."""
        return self.route_of(dst).primary

    def route(self, group: GroupId, dst: Destinations) -> Destinations:
        """The children that `group` passes a message to: destinations, or above one."""
        return self.route_of(dst).children[group]

    def depth(self, dst: Destinations) -> int:
        """How many edges the last destination is below the primary."""
        return self.route_of(dst).depth

    def extra(self, dst: Destinations) -> Destinations:
        """The groups that must handle messages to `dst` without being destinations."""
        return self.route_of(dst).extra

    def route_of(self, dst: Destinations) -> Route:
        """All about the way to `dst`, which is refused unless the graph serves it."""
        found = self._routes.get(dst)
        if found is None:
            if self.sets is not None:
                raise InvalidInput(
                    f"destinations {', '.join(dst)} were not registered: name them when the "
                    "propagation graph is made, in the order of the configuration"
                )
            found = self._find_route(destinations(dst, self.groups))
            if len(self._routes) >= CACHED_ROUTES_MAX:
                self._routes.clear()
            self._routes[dst] = found
        return found

    def _find_route(self, dst: Destinations) -> Route:
        paths = self._paths(dst)
        top = _common(paths) - 1
        if top < 0:
            raise InvalidInput(
                f"destinations {', '.join(dst)} are not in one tree: no group orders them all"
            )
        below: dict[GroupId, dict[GroupId, None]] = {paths[0][top]: {}}
        for path in paths:
            for parent, child in pairwise(path[top:]):
                below[parent][child] = None
                below.setdefault(child, {})
        children = {
            group: tuple(child for child in self._children[group] if child in chosen)
            for group, chosen in below.items()
        }
        depth = max(len(path) for path in paths) - 1 - top
        extra = tuple(group for group in self.groups if group in below and group not in dst)
        return Route(paths[0][top], children, depth, extra)

    def _paths(self, dst: Destinations) -> list[list[GroupId]]:
        """From a root down to each destination."""
        paths = []
        for member in dst:
            path = [member]
            while (parent := self.parents[path[-1]]) is not None:
                path.append(parent)
            paths.append(path[::-1])
        return paths


def _common(paths: list[list[GroupId]]) -> int:
    """How many groups all paths begin with; 0 if they lie in different trees."""
    levels = zip(*paths, strict=False)
    return sum(1 for _ in takewhile(lambda level: level.count(level[0]) == len(level), levels))


def _generate(
    groups: Destinations, sets: Sequence[Destinations], rank: Mapping[GroupId, int]
) -> Parents:
    """Each part below is a collection of sets that have no primary destination yet."""
    parents: Parents = {}
    waiting: list[tuple[list[Destinations], Destinations, GroupId | None]] = [
        (part, groups, None) for part in partitions(sets)
    ]
    # A list of what is to be done instead of the paper's recursion: trees may be deep.
    while waiting:
        part, candidates, parent = waiting.pop()
        subroot = _most_frequent(part, candidates, rank)
        parents[subroot] = parent
        # The subroot is the primary destination of its own sets; the rest is for its children.
        intersecters = tuple(
            dict.fromkeys(g for dst in part if subroot in dst for g in dst if g != subroot)
        )
        rest = [dst for dst in part if subroot not in dst]
        in_rest = {group: None for dst in rest for group in dst}
        for group in intersecters:
            if group not in in_rest:
                parents[group] = subroot
        # Every part of the rest holds an intersecter: through it, it hung together with the
        # sets of the subroot. Taking the child from those avoids extra groups.
        waiting += [(smaller, intersecters, subroot) for smaller in partitions(rest)]
    return {group: parents.get(group) for group in groups}


def partitions(sets: Sequence[Destinations]) -> list[list[Destinations]]:
    """The sets in parts, so that no set of one part meets a set of another."""
    holders: dict[GroupId, list[int]] = {}
    for number, dst in enumerate(sets):
        for group in dst:
            holders.setdefault(group, []).append(number)
    parts: list[list[Destinations]] = []
    seen: dict[int, None] = {}
    for start in range(len(sets)):
        if start not in seen:
            part = {start: None}
            reached = [start]
            for number in reached:
                for group in sets[number]:
                    new = [other for other in holders.pop(group, ()) if other not in part]
                    part |= dict.fromkeys(new)
                    reached += new
            seen |= part
            parts.append([sets[number] for number in sorted(part)])
    return parts


def _most_frequent(
    part: Iterable[Destinations], candidates: Destinations, rank: Mapping[GroupId, int]
) -> GroupId:
    counts = dict.fromkeys(candidates, 0)
    for dst in part:
        for group in dst:
            if group in counts:
                counts[group] += 1
    return max(counts, key=lambda group: (counts[group], -rank[group]))


def _without_repeats(sets: Sets, groups: Destinations) -> tuple[Destinations, ...]:
    return tuple(dict.fromkeys(destinations(wanted, groups) for wanted in sets))


def _check_forest(groups: Destinations, parents: Mapping[GroupId, GroupId | None]) -> Parents:
    """The parents in configuration order, refused unless they form a forest."""
    named = (*parents, *(parent for parent in parents.values() if parent is not None))
    _check_known(named, groups, "propagation graph")
    forest = {group: parents.get(group) for group in groups}
    below: dict[GroupId | None, list[GroupId]] = {}
    for group, parent in forest.items():
        below.setdefault(parent, []).append(group)
    reached = below.get(None, [])
    for group in reached:
        reached += below.get(group, [])
    if len(reached) < len(groups):
        cycle = next(group for group in groups if group not in reached)
        raise InvalidInput(f"the propagation graph has a cycle in or above group {cycle!r}")
    return forest


def _check_known(named: Destinations, groups: Destinations, where: str) -> None:
    for group in named:
        if group not in groups:
            raise InvalidInput(
                f"the {where} names {group!r}, which is no group: "
                f"the groups are {', '.join(groups)}"
            )


def parse_propagation(text: str, groups: Sequence[GroupId]) -> PropagationGraph:
    """The graph of sets on a command line, `g1+g2,g2+g3`, with the tie rank, `g1+g2,g2+g3:g2`."""
    sets, _, rank = text.partition(":")
    wanted = [[group.strip() for group in members.split("+")] for members in sets.split(",")]
    ranked = [group.strip() for group in rank.split(",")] if rank else []
    return PropagationGraph.generate(groups, wanted, ranked)
