"""What a multicast costs by three methods, and what random propagation graphs look like.

From Garcia-Molina and Spauster, "Ordered and reliable multicast communication" (1988), section 4.
A site is what the rest of this code base calls a group; a multicast group is a destination set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Final, NamedTuple

from amcast.core import GroupId, InvalidInput
from amcast.overlays import PropagationGraph


class Cost(NamedTuple):
    """Messages, and the delay as so many latencies L (or times T) and processing times P."""

    messages: float
    latencies: float
    processing: float

    def delay(self, latency: float, processing: float = 0.0) -> float:
        return self.latencies * latency + self.processing * processing


def point_to_point(destinations: int, depth: float, extra: float) -> Mapping[str, Cost]:
    """Table 1: a sender puts one message after the other on the network."""
    count = destinations
    return {
        "two-phase": Cost(3 * count, 3, 2 * count + 1),
        "centralised": Cost(count, 2, count),
        "propagation": Cost(count + extra, depth + 1, count + extra),
    }


def broadcast(destinations: int, depth: float) -> Mapping[str, Cost]:
    """Table 2: everybody hears every message, and one message is under way at a time."""
    return {
        "two-phase": Cost(destinations + 2, destinations + 2, 0),
        "centralised": Cost(2, 2, 0),
        "propagation": Cost(depth + 1, depth + 1, 0),
    }


@dataclass(frozen=True)
class Family:
    """One random family of multicast groups and its graph; sums, so that nothing is rounded."""

    sites: int
    group_size: int
    groups: int
    seed: int
    # Over all groups: how deep the last member is, and sites that only pass messages on.
    depth_total: int
    extra_total: int
    # Messages sent and received by the busiest site, if each group is sent one message.
    load_propagation: int
    load_two_phase: int
    load_centralised: int
    trees: int


TWO_PHASE_LOAD: Final = 3
"""A member receives the message, sends its priority and receives the final one."""


def random_family(sites: int, group_size: int, groups: int, seed: int) -> Family:
    """Draw `groups` groups of `group_size` members each, and build their graph."""
    if not 1 <= group_size <= sites or groups < 1:
        raise InvalidInput(
            f"{groups} groups of {group_size} out of {sites} sites are not possible: "
            "use 1 group or more, and no larger than the number of sites"
        )
    random = Random(f"propagation graph {sites} {group_size} {groups} {seed}")
    names = [f"s{number}" for number in range(1, sites + 1)]
    drawn = [tuple(random.sample(names, group_size)) for _ in range(groups)]
    return describe(names, drawn, seed)


def describe(sites: Sequence[GroupId], groups: Sequence[Sequence[GroupId]], seed: int) -> Family:
    """The graph of these multicast groups, in numbers. Equal groups count as often as given."""
    graph = PropagationGraph.generate(sites, groups)
    position = {site: number for number, site in enumerate(sites)}
    ordered = [tuple(sorted(group, key=position.__getitem__)) for group in groups]
    routes = [graph.route_of(group) for group in ordered]
    load = dict.fromkeys(sites, 0)
    member = dict.fromkeys(sites, 0)
    for group, route in zip(ordered, routes, strict=True):
        for site, children in route.children.items():
            load[site] += 1 + len(children)
        for site in group:
            member[site] += 1
    return Family(
        sites=len(sites),
        group_size=max(map(len, ordered)),
        groups=len(ordered),
        seed=seed,
        depth_total=sum(route.depth for route in routes),
        extra_total=sum(len(route.extra) for route in routes),
        load_propagation=max(load.values()),
        load_two_phase=TWO_PHASE_LOAD * max(member.values()),
        # The centre counts as a member: it receives each message and sends it to the others.
        load_centralised=sum(map(len, ordered)),
        trees=sum(1 for site in graph.roots if member[site]),
    )


def family_row(sites: int, group_size: int, groups: int, seed: int) -> dict[str, int]:
    """The same as a row of a table."""
    return asdict(random_family(sites, group_size, groups, seed))
