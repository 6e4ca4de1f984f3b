"""What a run can be asked for: anything else is refused in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from amcast.consensus.values import SIZES
from amcast.core import GroupId, InvalidInput
from amcast.protocols import Protocol
from amcast.sim.outages import NO_OUTAGES, OutagePlan

if TYPE_CHECKING:
    from amcast.scenarios.run import Parameters

# Beyond these, times no longer fit into a trace.
LIMITS = {
    "locality": (0, 1),
    "global_share": (0, 1),
    "rate": (1e-6, 1e9),
    "duration_s": (1e-6, 1e12),
    "latency_scale": (0, 1e6),
    "jitter": (0, 10),
    "cpu_us": (0, 1e9),
    "cpu_us_per_kb": (0, 1e9),
    "log_period_ms": (0, 1e6),
    "flush_ms": (0.001, 1e9),
    "inside_ms": (0, 1e6),
    "window": (1, 10_000),
    "sync_ms": (0, 1e6),
}
# About so often a group is away.
OUTAGE_EVERY_US = 1_000_000


def check_numbers(parameters: Parameters) -> None:
    for name, (least, most) in LIMITS.items():
        value = getattr(parameters, name)
        # Written so that NaN is refused too.
        if value is not None and not least <= value <= most:
            raise InvalidInput(
                f"--{name.replace('_', '-')} {value:g} is not possible: "
                f"use a number from {least:g} to {most:g}"
            )
    if parameters.clients < 1:
        raise InvalidInput(f"{parameters.clients} clients are not possible: use 1 or more")
    if parameters.duration_s is not None and parameters.messages is not None:
        raise InvalidInput("--messages and --duration-s exclude each other: give one of them")
    _check_replicas(parameters)


def _check_replicas(parameters: Parameters) -> None:
    replicas, crashes = parameters.replicas, parameters.crashes
    if replicas not in SIZES:
        raise InvalidInput(f"groups of {replicas} replicas are not possible: use 1, 3, 5 or 7")
    if replicas > 1 and parameters.log_period_ms:
        raise InvalidInput("replicas decide as fast as they can: leave --log-period-ms out")
    if crashes < 0 or (crashes and replicas < 3):
        raise InvalidInput(
            f"{crashes} crashes need groups of 3 replicas or more, not of {replicas}: "
            "use --replicas 3, or leave --crashes out"
        )


def check_lost_groups(parameters: Parameters, protocol: Protocol, groups: int) -> None:
    lost = parameters.lost_groups
    if not lost:
        return
    if not protocol.survives_lost_groups:
        raise InvalidInput(
            f"{protocol.name} waits for ever for a group that is lost: leave --lost-groups out"
        )
    if parameters.replicas == 1:
        raise InvalidInput("only groups of replicas can be lost: use --replicas 3")
    if not 0 < 3 * lost < groups:
        raise InvalidInput(f"{lost} of {groups} groups cannot be lost: use less than a third")


def outages_of(
    parameters: Parameters, protocol: Protocol, groups: tuple[GroupId, ...]
) -> OutagePlan:
    """Refused where the others would only wait for the group that is down."""
    count, lost = parameters.outages, parameters.lost_groups
    if count < 0:
        raise InvalidInput(f"{count} outages are not possible: use 0 or more")
    if not count:
        return NO_OUTAGES
    absences = protocol.absences_with(parameters.options)
    if absences is None:
        option = protocol.absences.option if protocol.absences is not None else None
        instead = "leave --outages out" if option is None else f"use --option {'='.join(option)}"
        raise InvalidInput(f"{protocol.name} waits for a group that is down: {instead}")
    if parameters.replicas == 1:
        raise InvalidInput("only groups of replicas come back from an outage: use --replicas 3")
    absent, at_once = absences.of(groups)
    if lost >= at_once:
        beside = f" beside {lost} lost ones" if lost else ""
        raise InvalidInput(f"no outage is possible with {len(groups)} groups{beside}: use more")
    return OutagePlan(count, absent, at_once, within_us=count * OUTAGE_EVERY_US)
