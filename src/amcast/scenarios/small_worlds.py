"""Protocols in small worlds without time: random schedules and every interleaving."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from amcast.core import GroupId, MessageId, Multicast, destinations
from amcast.overlays import parse_propagation
from amcast.protocols import Protocol, protocol_named
from amcast.scenarios.catalogue import numbered_groups
from amcast.sim import (
    DrawSetup,
    Explorer,
    Failure,
    FaultFailure,
    Setup,
    fuzz_faults_one,
    fuzz_one,
)
from amcast.sim.explore import STATES_MAX

# How many destination sets a random graph serves, and how many groups they have.
SETS_MAX = 8
SET_SIZES = (1, 2, 2, 2, 3, 4)


def fuzz(protocol: str, seed: int) -> Failure | None:
    """One random schedule of one protocol; None if it keeps all its promises."""
    return fuzz_protocol(protocol_named(protocol), seed)


def fuzz_protocol(protocol: Protocol, seed: int) -> Failure | None:
    """The same for a protocol that need not be registered."""
    return fuzz_one(seed, _setups(protocol), protocol.promises, flush_client=protocol.flush_client)


def fuzz_faults(protocol: str, seed: int) -> FaultFailure | None:
    """One random run of replicated groups in bad times; None if it keeps all promises."""
    return fuzz_faults_protocol(protocol_named(protocol), seed)


def fuzz_faults_protocol(protocol: Protocol, seed: int) -> FaultFailure | None:
    """The same for a protocol that need not be registered."""
    return fuzz_faults_one(
        seed,
        _setups(protocol),
        protocol.promises,
        flush_client=protocol.flush_client,
        groups_min=4 if protocol.survives_lost_groups else 2,
        disasters=protocol.survives_lost_groups,
    )


def _setups(protocol: Protocol) -> DrawSetup:
    """How the world of a seed gets its overlay."""

    def draw_setup(groups: tuple[GroupId, ...], random: Random) -> Setup:
        overlay = _draw_overlay(protocol, groups, random)
        if overlay is None:
            return Setup(f"protocol {protocol.name}", protocol.factory(groups))
        sets = parse_propagation(overlay, groups).sets if protocol.overlay == "sets" else None
        name = f"protocol {protocol.name} overlay {overlay}"
        return Setup(name, protocol.factory(groups, overlay), sets)

    return draw_setup


def _draw_overlay(protocol: Protocol, groups: tuple[GroupId, ...], random: Random) -> str | None:
    match protocol.overlay:
        case None:
            return None
        case "centre":
            return random.choice(groups)
        case "tree":
            shuffled = random.sample(groups, len(groups))
            edges = (
                f"{random.choice(shuffled[:place])}>{group}"
                for place, group in enumerate(shuffled)
                if place
            )
            return ",".join(edges)
        case "sets":
            return _draw_sets(groups, random)
        case "ranks":
            return ",".join(random.sample(groups, len(groups)))


def _draw_sets(groups: tuple[GroupId, ...], random: Random) -> str:
    """Some sets, often of few groups so that graphs are no chains, and how ties are broken."""
    sizes = (min(len(groups), random.choice(SET_SIZES)) for _ in range(random.randint(1, SETS_MAX)))
    sets = ",".join("+".join(random.sample(groups, size)) for size in sizes)
    return f"{sets}:{','.join(random.sample(groups, len(groups)))}"


def explorer(
    protocol: Protocol,
    group_count: int,
    dst: Sequence[Sequence[GroupId]],
    *,
    overlay: str | None = None,
    inside: bool = False,
    states_max: int = STATES_MAX,
) -> Explorer:
    """One message for each of `dst`, from a client of its own; `inside` its first destination."""
    groups = numbered_groups(group_count)
    multicasts: list[tuple[Multicast, GroupId | None]] = []
    for number, wanted in enumerate(dst, start=1):
        chosen = destinations(wanted, groups)
        multicast = Multicast(MessageId(f"c{number}", 1), chosen)
        multicasts.append((multicast, chosen[0] if inside else None))
    factory = protocol.factory(groups, overlay)
    return Explorer(factory, groups, multicasts, protocol.promises, states_max=states_max)
