"""Overlays from latencies: ranks and trees in which neighbours are near each other.

All of them are greedy. They know the network and not the traffic: whoever knows which groups
talk to each other may do better by hand. Of equally good groups, the first in the
configuration is taken; of equally near parents, the one that was in the tree first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import fsum, isfinite

from amcast.core import GroupId, InvalidInput, check_groups
from amcast.overlays.rank import Ranks
from amcast.overlays.tree import Tree

Latency = Mapping[GroupId, Mapping[GroupId, float]]
"""Source -> target -> how long a message takes, in any unit. The diagonal is never read."""


def nearest_walk(groups: Sequence[GroupId], latency: Latency, start: GroupId) -> Ranks:
    """Ranks from `start` upwards, always on to the nearest group that has none yet.

    This is how the FlexCast paper says that its overlays were made. Messages only go up, so
    the latency that counts is the one from the lower to the higher group.
    """
    names = _check(groups, latency, start)
    order = [start]
    left = [group for group in names if group != start]
    while left:
        here = latency[order[-1]]
        order.append(min(left, key=here.__getitem__))
        left.remove(order[-1])
    return Ranks(names, order)


def best_start_walk(groups: Sequence[GroupId], latency: Latency) -> Ranks:
    """Of the walks from each group, the shortest: a message to all takes at least its length."""
    names = _check(groups, latency)
    walks = [nearest_walk(names, latency, start) for start in names]
    return min(walks, key=lambda walk: fsum(latency[a][b] for a, b in pairwise(walk.order)))


def centre(groups: Sequence[GroupId], latency: Latency) -> GroupId:
    """The group from which the others are nearest, all latencies taken together."""
    names = _check(groups, latency)
    return min(names, key=lambda root: fsum(latency[root][g] for g in names if g != root))


def star_at_centre(groups: Sequence[GroupId], latency: Latency) -> Tree:
    """One hop to everywhere: good for messages to any groups, bad for two near ones far out."""
    return Tree.star(groups, centre(groups, latency))


def latency_tree(groups: Sequence[GroupId], latency: Latency, root: GroupId | None = None) -> Tree:
    """A minimum spanning tree, grown from `root`, by default the centre (Prim's algorithm).

    Each step adds the group that is nearest to any group of the tree, below that one. So near
    groups hang together, and messages among them stay there. A tree of shortest paths would
    not do: where no detour is faster than the direct way, it is a star. Messages only go
    down, so only the latency from parent to child counts; the tree has the least sum of
    latencies if they are the same both ways, and nearly so if they nearly are.
    """
    names = _check(groups, latency, root)
    top = centre(names, latency) if root is None else root
    parents: dict[GroupId, GroupId | None] = {top: None}
    # Group -> the group of the tree that is nearest to it, so far.
    nearest = {group: top for group in names if group != top}
    while nearest:
        added = min(nearest, key=lambda group: latency[nearest[group]][group])
        parents[added] = nearest.pop(added)
        for group, parent in nearest.items():
            if latency[added][group] < latency[parent][group]:
                nearest[group] = added
    return Tree(names, parents)


def _check(
    groups: Sequence[GroupId], latency: Latency, named: GroupId | None = None
) -> tuple[GroupId, ...]:
    names = check_groups(groups)
    if named is not None and named not in names:
        raise InvalidInput(
            f"an overlay cannot start at {named!r}, which is no group: "
            f"the groups are {', '.join(names)}"
        )
    for source in names:
        for target in names:
            if source != target:
                _check_latency(source, target, latency.get(source, {}).get(target))
    return names


def _check_latency(source: GroupId, target: GroupId, latency: float | None) -> None:
    if latency is None:
        raise InvalidInput(
            f"the latency from {source} to {target} is missing: "
            "give one from every group to every other"
        )
    if not (isfinite(latency) and latency >= 0):
        raise InvalidInput(
            f"the latency from {source} to {target} cannot be {latency}: use a number from 0 up"
        )
