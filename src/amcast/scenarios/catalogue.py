"""Named networks and set-ups: where groups and clients are, and how far apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from amcast.core import GroupId, InvalidInput
from amcast.overlays import Ranks, Tree
from amcast.scenarios import aws12
from amcast.sim import Network, uniform_network

Nearest = Mapping[GroupId, tuple[GroupId, ...]]

UNIFORM_US: Final = 10_000
# The evaluations' local network: a round trip of 0.1 ms.
LAN_US: Final = 50


@dataclass(frozen=True)
class Scenario:
    """A network with groups on it, and where the clients of each group are."""

    name: str
    summary: str
    groups: tuple[GroupId, ...]
    network: Network
    placement: Mapping[GroupId, str]
    client_sites: Mapping[GroupId, str]
    clients_inside: bool = False
    trees: Mapping[str, Tree] = field(default_factory=dict)
    ranks: Mapping[str, Ranks] = field(default_factory=dict)
    # Hand-made lists of nearest groups, by overlay; "" is the one for protocols without.
    published_nearest: Mapping[str, Nearest] = field(default_factory=dict)

    def nearest(self) -> Nearest:
        """For each group the others, nearest first; equally near ones in a ring."""
        base, place = self.network.base_us, self.placement
        count = len(self.groups)
        position = {group: number for number, group in enumerate(self.groups)}
        return {
            home: tuple(
                sorted(
                    (group for group in self.groups if group != home),
                    key=lambda group: (
                        base[place[home]][place[group]],
                        (position[group] - here) % count,
                    ),
                )
            )
            for home, here in position.items()
        }


def numbered_groups(count: int) -> tuple[GroupId, ...]:
    if count < 1:
        raise InvalidInput(f"{count} groups are not possible: use 1 or more")
    return tuple(f"g{number}" for number in range(1, count + 1))


def scenario_named(name: str, group_count: int | None = None) -> Scenario:
    """The scenario; `group_count` is refused where the groups are fixed."""
    make = SCENARIOS.get(name)
    if make is None:
        raise InvalidInput(f"no scenario {name!r}: there is {', '.join(SCENARIOS)}")
    return make(group_count)


def _uniform(group_count: int | None) -> Scenario:
    groups = numbered_groups(3 if group_count is None else group_count)
    return _apart("uniform", "10 ms between any two groups, and from clients", groups, UNIFORM_US)


def _lan(group_count: int | None) -> Scenario:
    groups = numbered_groups(3 if group_count is None else group_count)
    return _apart("lan", "a local network, 0.1 ms round trip", groups, LAN_US)


def _apart(name: str, summary: str, groups: tuple[GroupId, ...], delay_us: int) -> Scenario:
    """Every group and the clients on a site of their own, all equally far from each other."""
    sites = (*groups, "clients")
    return Scenario(
        name=name,
        summary=summary,
        groups=groups,
        network=uniform_network(delay_us, sites),
        placement={group: group for group in groups},
        client_sites=dict.fromkeys(groups, "clients"),
    )


def _aws12(group_count: int | None) -> Scenario:
    _refuse_count("aws12", group_count, len(aws12.REGIONS))
    regions = {region: region for region in aws12.REGIONS}
    trees = {name: aws12.tree(name) for name in ("T1", "T2", "T3")}
    ranks = {name: Ranks(aws12.REGIONS, aws12.rank(name)) for name in ("O1", "O2")}
    return Scenario(
        name="aws12",
        summary="twelve AWS regions, as emulated for FlexCast (one-way = published value)",
        groups=aws12.REGIONS,
        network=Network(
            {
                source: {target: round(delay * 1000) for target, delay in row.items()}
                for source, row in aws12.latency_ms().items()
            },
            jitter=0.05,
        ),
        placement=regions,
        client_sites=regions,
        trees=trees,
        ranks=ranks,
        published_nearest={
            "": aws12.nearest("skeen"),
            **{name: aws12.nearest(name) for name in (*trees, *ranks)},
        },
    )


def _study_2009(name: str, mean_ms: int, sd_ms: int, kb_s: int) -> Callable[[int | None], Scenario]:
    def make(group_count: int | None) -> Scenario:
        groups = numbered_groups(4 if group_count is None else group_count)
        base = uniform_network(mean_ms * 1000, groups).base_us
        return Scenario(
            name=name,
            summary=f"2009 study: N({mean_ms}, {sd_ms}) ms, {kb_s} KB/s a group, clients in groups",
            groups=groups,
            network=Network(base, jitter=sd_ms / mean_ms, bandwidth_bytes_s=kb_s * 1000),
            placement={group: group for group in groups},
            client_sites={group: group for group in groups},
            clients_inside=True,
        )

    return make


# The three regions of the 2019 thesis; one way, in microseconds.
_REGIONS_2019: Final = {
    "R1": {"R1": LAN_US, "R2": 70_000, "R3": 150_000},
    "R2": {"R1": 70_000, "R2": LAN_US, "R3": 70_000},
    "R3": {"R1": 150_000, "R2": 70_000, "R3": LAN_US},
}
_TO_CLIENTS_2019_US: Final = 5_000
_REGION_OF_GROUP_2019: Final = ("R1", "R2", "R3", "R2", "R2", "R3", "R3")


def _thesis_2019(
    name: str, summary: str, regions: tuple[str, ...]
) -> Callable[[int | None], Scenario]:
    def make(group_count: int | None) -> Scenario:
        _refuse_count(name, group_count, len(regions))
        groups = numbered_groups(len(regions))
        # A client is 5 ms from its local region, R2, and as much farther from the others.
        sites: dict[str, dict[str, int]] = {site: dict(row) for site, row in _REGIONS_2019.items()}
        sites["clients"] = {"clients": 0}
        for site in _REGIONS_2019:
            far = 0 if site == "R2" else _REGIONS_2019["R2"][site]
            sites["clients"][site] = sites[site]["clients"] = far + _TO_CLIENTS_2019_US
        return Scenario(
            name=name,
            summary=summary,
            groups=groups,
            network=Network(sites, jitter=0.05),
            placement=dict(zip(groups, regions, strict=True)),
            client_sites=dict.fromkeys(groups, "clients"),
            trees={"C1": Tree.star(groups), "C2": Tree.binary(groups)},
        )

    return make


def _refuse_count(name: str, asked: int | None, has: int) -> None:
    if asked is not None and asked != has:
        raise InvalidInput(f"scenario {name} has {has} groups: leave --groups out")


SCENARIOS: Final[Mapping[str, Callable[[int | None], Scenario]]] = {
    "uniform": _uniform,
    "lan": _lan,
    "aws12": _aws12,
    "setup1": _study_2009("setup1", 100, 5, 125),
    "setup2": _study_2009("setup2", 20, 1, 1250),
    "wan1": _thesis_2019(
        "wan1", "2019 thesis: 7 groups, led from the clients' region R2", ("R2",) * 7
    ),
    "wan2": _thesis_2019(
        "wan2",
        "2019 thesis: 7 groups over regions R1, R2, R3, clients in R2",
        _REGION_OF_GROUP_2019,
    ),
}
