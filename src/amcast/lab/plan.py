"""The runs of an experiment: their names, parameters and seeds, the longest first."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import sqrt
from typing import Any, Final, Literal, cast

import msgspec

from amcast.core import InvalidInput
from amcast.lab.computed import check_computation
from amcast.lab.experiment import INGESTED, SIMULATION, Chosen, Sweep
from amcast.scenarios import Parameters, Run, scenario_named

NAMES: Final = Parameters.__struct_fields__
# For loads that grow with the number of groups.
CLIENTS_PER_GROUP: Final = "clients_per_group"
DIGITS: Final = 12
# What a run of a trace may be called to keep its name.
RUN_PATTERN: Final = re.compile(r"[a-z][a-z0-9-]{0,63}")
# Protocols whose messages take much longer to simulate than those of the others.
COSTLY: Final = {"flexcast": 10.0, "ang": 2.0, "adt": 2.0}
US_PER_S: Final = 1_000_000
Packets = Literal["all", "counts", "off"]


@dataclass(frozen=True)
class PlannedRun:
    """One run: everything that a task needs to know."""

    run: str
    kind: str
    parameters: Mapping[str, Any]
    seed: int
    packets: Packets = "all"
    # How long it takes, in a unit of its own: only the order counts.
    weight: float = 0.0

    @property
    def simulation(self) -> Parameters:
        return msgspec.convert({**self.parameters, "seed": self.seed}, Parameters)


def plan(chosen: Chosen) -> list[PlannedRun]:
    """All runs; parameters that are not possible are refused here, before anything runs."""
    runs: dict[str, PlannedRun] = {}
    for sweep in chosen.sweeps:
        for parameters in combinations(sweep):
            try:
                planned = _planned(chosen, sweep.kind, parameters)
            except InvalidInput as error:
                raise InvalidInput(f"experiment {chosen.name}: {error}") from error
            runs |= {each.run: each for each in planned}
    if not runs:
        raise InvalidInput(f"experiment {chosen.name} has no sweep at size {chosen.size}")
    # Equal ones by name, so that the order is the same wherever the plan is made.
    return sorted(runs.values(), key=lambda run: (-run.weight, run.run))


def combinations(sweep: Sweep) -> Iterator[dict[str, Any]]:
    """Every combination of a sweep's axes, the last axis fastest."""
    axes = [_axis(name, value) for name, value in sweep.values.items()]
    for values in product(*axes):
        yield dict(zip(sweep.values, values, strict=True))


def _axis(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        return [value]
    if not value:
        raise InvalidInput(f"{name} = [] leaves nothing to run: give it a value")
    # The numbers of destinations are one value: only a list of lists varies them.
    if name == "sizes" and not isinstance(value[0], list):
        return [value]
    return value


def _planned(chosen: Chosen, kind: str, parameters: Mapping[str, Any]) -> list[PlannedRun]:
    """One combination, with every seed. It is checked once: seeds make no difference."""
    if "seed" in parameters:
        raise InvalidInput("seed is no parameter of an experiment: write seeds = [...] at the top")
    packets = cast(Packets, chosen.packets)
    if kind == INGESTED:
        return [_ingested(chosen, parameters, packets)]
    if kind == SIMULATION:
        simulation = _simulation(parameters)
        weight = _weight(Run(simulation))
        parameters = {
            name: value for name, value in msgspec.to_builtins(simulation).items() if name != "seed"
        }
    else:
        check_computation(kind, parameters)
        weight = 1.0
    return [
        PlannedRun(
            run=run_id(chosen.name, kind, parameters, seed, packets),
            kind=kind,
            parameters=parameters,
            seed=seed,
            packets=packets,
            weight=weight,
        )
        for seed in chosen.seeds
    ]


def _ingested(chosen: Chosen, parameters: Mapping[str, Any], packets: Packets) -> PlannedRun:
    """A run as it is called in its trace, if a folder may be called so."""
    seed = chosen.seeds[0]
    name = str(parameters["run"])
    if not RUN_PATTERN.fullmatch(name):
        name = run_id(chosen.name, INGESTED, parameters, seed, packets)
    return PlannedRun(name, INGESTED, parameters, seed, packets)


def run_id(
    experiment: str, kind: str, parameters: Mapping[str, Any], seed: int, packets: str
) -> str:
    """A name that depends on nothing but what the run computes and writes."""
    canonical = json.dumps([kind, parameters, seed, packets], sort_keys=True)
    return f"{experiment}-{hashlib.sha256(canonical.encode()).hexdigest()[:DIGITS]}"


def _simulation(given: Mapping[str, Any]) -> Parameters:
    parameters = dict(given)
    each = parameters.pop(CLIENTS_PER_GROUP, None)
    for name in parameters:
        if name not in NAMES:
            raise InvalidInput(
                f"no parameter {name!r}: there is {', '.join((*NAMES, CLIENTS_PER_GROUP))}"
            )
    if "protocol" not in parameters:
        raise InvalidInput("a sweep needs a protocol: write protocol = [...]")
    try:
        found = msgspec.convert(parameters, Parameters)
        if each is None:
            return found
        groups = scenario_named(found.scenario, found.groups).groups
        return msgspec.structs.replace(found, clients=msgspec.convert(each, int) * len(groups))
    except msgspec.ValidationError as error:
        raise InvalidInput(f"a parameter has the wrong type: {error}") from error


def _weight(run: Run) -> float:
    """Roughly how many messages it multicasts, times what grows with groups and replicas."""
    processes = sqrt(len(run.scenario.groups)) * run.parameters.replicas**2
    return messages_expected(run) * processes * COSTLY.get(run.protocol.name, 1.0)


def messages_expected(run: Run) -> float:
    """The number of messages, guessed where a run ends by time."""
    plan = run.plan
    if plan.messages is not None:
        return plan.messages
    assert plan.duration_us is not None
    rate = run.parameters.rate
    if rate is not None:
        return rate * len(plan.clients) * plan.duration_us / US_PER_S
    delays = [delay for row in plan.network.base_us.values() for delay in row.values()]
    # A client waits for there and back, and for the order between them.
    round_us = 3 * sum(delays) / len(delays) + run.parameters.cpu_us
    return len(plan.clients) * plan.duration_us / max(round_us, 1)
