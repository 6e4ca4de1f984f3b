"""Protocols in small worlds without time: random schedules and every interleaving.

What a protocol leaves open is drawn as well, for half of the seeds; the others keep its defaults.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from amcast.core import GroupId, InvalidInput, MessageId, Multicast, destinations
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
# How many seeds keep the defaults of all options.
DEFAULTS = 0.5

# What is chosen of a protocol's options; None lets the seed choose.
Options = Mapping[str, str] | None


def fuzz(protocol: str, seed: int, options: Options = None) -> Failure | None:
    """One random schedule of one protocol; None if it keeps all its promises."""
    return fuzz_protocol(protocol_named(protocol), seed, options)


def fuzz_protocol(protocol: Protocol, seed: int, options: Options = None) -> Failure | None:
    """The same for a protocol that need not be registered."""
    chosen = _draw_options(protocol, seed) if options is None else options
    return fuzz_one(
        seed,
        _setups(protocol, chosen),
        protocol.promises_with(chosen),
        flush_client=protocol.reserved_client(chosen),
    )


def fuzz_faults(protocol: str, seed: int, options: Options = None) -> FaultFailure | None:
    """One random run of replicated groups in bad times; None if it keeps all promises."""
    return fuzz_faults_protocol(protocol_named(protocol), seed, options)


def fuzz_faults_protocol(
    protocol: Protocol, seed: int, options: Options = None
) -> FaultFailure | None:
    """The same for a protocol that need not be registered."""
    chosen = _draw_options(protocol, seed) if options is None else options
    absences = protocol.absences_with(chosen)
    return fuzz_faults_one(
        seed,
        _setups(protocol, chosen),
        protocol.promises_with(chosen),
        flush_client=protocol.reserved_client(chosen),
        groups_min=4 if protocol.survives_lost_groups else 2,
        disasters=protocol.survives_lost_groups,
        # Only where somebody asks for it, so that the worlds of other seeds are what they were.
        absent=absences.of if absences is not None and absences.option is not None else None,
    )


def _draw_options(protocol: Protocol, seed: int) -> dict[str, str]:
    """From a random source of its own: with the defaults, a seed's schedule is what it was."""
    random = Random(f"options {seed}")
    if random.random() < DEFAULTS:
        return {}
    drawn = {name: random.choice(open.worth_trying) for name, open in protocol.options.items()}
    return {
        name: value if protocol.options[name].goes_with(drawn) else protocol.options[name].default
        for name, value in drawn.items()
    }


def _setups(protocol: Protocol, options: Mapping[str, str]) -> DrawSetup:
    """How the world of a seed gets its overlay."""

    def draw_setup(groups: tuple[GroupId, ...], random: Random) -> Setup:
        overlay = _draw_overlay(protocol, groups, random)
        factory = protocol.factory(groups, overlay, options=options)
        name = _name(protocol, overlay, options)
        if overlay is None or protocol.overlay != "sets":
            return Setup(name, factory)
        return Setup(name, factory, parse_propagation(overlay, groups).sets)

    return draw_setup


def _name(protocol: Protocol, overlay: str | None, options: Mapping[str, str]) -> str:
    """Such as `protocol ang option eta=2`: what is usual is not said."""
    words = [f"protocol {protocol.name}"]
    if overlay is not None:
        words.append(f"overlay {overlay}")
    for name, value in options.items():
        if value != protocol.options[name].default:
            words.append(f"option {name}={value}")
    return " ".join(words)


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
    options: Mapping[str, str] | None = None,
    keys: Sequence[tuple[str, ...] | None] = (),
    inside: bool = False,
    states_max: int = STATES_MAX,
) -> Explorer:
    """One message for each of `dst`, from a client of its own; `inside` its first destination.

    `keys` are those of the messages in the same order, if any have some.
    """
    if keys and len(keys) != len(dst):
        raise InvalidInput(
            f"{len(keys)} --keys for {len(dst)} --dst are not possible: "
            "give one for each message, or none"
        )
    groups = numbered_groups(group_count)
    multicasts: list[tuple[Multicast, GroupId | None]] = []
    for number, wanted in enumerate(dst, start=1):
        chosen = destinations(wanted, groups)
        own_keys = keys[number - 1] if keys else None
        multicast = Multicast(MessageId(f"c{number}", 1), chosen, keys=own_keys)
        multicasts.append((multicast, chosen[0] if inside else None))
    factory = protocol.factory(groups, overlay, options=options)
    promises = protocol.promises_with(options or {})
    return Explorer(factory, groups, multicasts, promises, states_max=states_max)
