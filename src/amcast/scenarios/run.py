"""One simulated run from plain parameters: what the command line and experiments call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

import msgspec

from amcast.check import Verdict, check
from amcast.consensus.values import SIZES
from amcast.core import InvalidInput
from amcast.overlays import PropagationGraph
from amcast.protocols import Overlay, ProcessFactory, Protocol, protocol_named
from amcast.scenarios.catalogue import Scenario, scenario_named
from amcast.sim import (
    ClientPlan,
    FaultPlan,
    FlushPlan,
    HistoryRecorder,
    Outcome,
    Recorder,
    ReplicaPlan,
    ReplicatedSimulation,
    Simulation,
    SimulationPlan,
)
from amcast.traces import TraceWriter
from amcast.workloads import Workload, make_workload

MESSAGES = 1000
# What a run can be asked for: beyond it, times no longer fit into a trace.
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
Progress = Callable[[float], None]


class Parameters(msgspec.Struct, frozen=True, kw_only=True):
    """A run in plain values. They are written into its trace, and repeat it exactly."""

    protocol: str
    scenario: str = "uniform"
    groups: int | None = None
    replicas: int = 1
    overlay: str | None = None
    workload: str = "uniform"
    locality: float = 0.9
    global_share: float | None = None
    sizes: tuple[int, ...] | None = None
    keys: int | None = None
    clients: int = 6
    rate: float | None = None
    # Whose reply a closed loop waits for before it sends again.
    wait_for: Literal["all", "home"] = "all"
    messages: int | None = None
    duration_s: float | None = None
    crashes: int = 0
    lost_groups: int = 0
    latency_scale: float = 1.0
    # The share of a delay that varies; by default the scenario's.
    jitter: float | None = None
    cpu_us: float = 0.0
    cpu_us_per_kb: float = 0.0
    log_period_ms: float = 0.0
    flush_ms: float = 100.0
    # Between two replicas of a group, one way, and until a disk has written.
    inside_ms: float = 0.05
    sync_ms: float = 0.0
    # Slots of a group's log that may be undecided at once.
    window: int = 8
    options: dict[str, str] = {}
    seed: int = 1


class Run:
    """Parameters that were checked, with all that they name. Making one refuses bad input."""

    def __init__(self, parameters: Parameters) -> None:
        _check(parameters)
        self.parameters = parameters
        self.protocol: Protocol = protocol_named(parameters.protocol)
        self.scenario: Scenario = scenario_named(parameters.scenario, parameters.groups)
        workload = _workload(self.scenario, parameters)
        overlay = _overlay(self.protocol, self.scenario, parameters.overlay, workload)
        self.factory = self.protocol.factory(
            self.scenario.groups, overlay, options=parameters.options
        )
        self.promises = self.protocol.promises_with(parameters.options)
        _check_lost_groups(parameters, self.protocol, len(self.scenario.groups))
        if self.protocol.overlay == "sets":
            _refuse_unregistered(self.factory, self.scenario, workload)
        reserved = self.protocol.reserved_client(parameters.options)
        self.plan = _plan(self.scenario, parameters, workload, reserved)

    def simulate(
        self, recorder: Recorder | None = None, progress: Progress | None = None
    ) -> Outcome:
        seed, crashes = self.parameters.seed, self.parameters.crashes
        lost = self.parameters.lost_groups
        if self.parameters.replicas == 1:
            return Simulation(self.plan, self.factory, seed=seed, recorder=recorder).run(progress)
        return ReplicatedSimulation(
            self.plan,
            self.factory,
            _replication(self.parameters),
            seed=seed,
            recorder=recorder,
            faults=FaultPlan.of_crashes(crashes, lost) if crashes or lost else None,
        ).run(progress)

    def write(
        self,
        directory: Path,
        *,
        run: str = "run",
        packets: Literal["all", "counts", "off"] = "all",
        progress: Progress | None = None,
    ) -> Outcome:
        """Simulate and leave the trace in `directory`, whole or not at all."""
        with TraceWriter(
            directory,
            run=run,
            protocol=self.protocol.name,
            driver="sim",
            parameters=msgspec.to_builtins(self.parameters),
            seed=self.parameters.seed,
            packets=packets,
        ) as writer:
            outcome = self.simulate(writer, progress)
            writer.finish(drained=outcome.drained)
        return outcome

    def verify(self, progress: Progress | None = None) -> tuple[Outcome, Verdict]:
        """Simulate in memory and check the run against what its protocol promises."""
        recorder = HistoryRecorder()
        outcome = self.simulate(recorder, progress)
        recorder.history.complete = outcome.drained
        return outcome, check(recorder.history, required=self.promises)


def simulate(
    parameters: Parameters, *, progress: Progress | None = None
) -> tuple[Outcome, Verdict]:
    """Simulate in memory and check the run against what its protocol promises."""
    return Run(parameters).verify(progress)


def _check(parameters: Parameters) -> None:
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


def _check_lost_groups(parameters: Parameters, protocol: Protocol, groups: int) -> None:
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


def _replication(parameters: Parameters) -> ReplicaPlan:
    return ReplicaPlan(
        replicas=parameters.replicas,
        inside_us=round(parameters.inside_ms * 1000),
        sync_us=round(parameters.sync_ms * 1000),
        window=parameters.window,
    )


def _overlay(
    protocol: Protocol, scenario: Scenario, name: str | None, workload: Workload
) -> str | Overlay | None:
    """An overlay that the scenario knows by name, the workload's sets, or else what was given."""
    if protocol.overlay == "sets" and name is None:
        sets = workload.sets()
        return None if sets is None else PropagationGraph.generate(scenario.groups, sets)
    known: Mapping[str, Overlay] = {}
    if protocol.overlay == "tree":
        known = scenario.trees
    elif protocol.overlay == "ranks":
        known = scenario.ranks
    named = {each.casefold(): overlay for each, overlay in known.items()}
    return name if name is None else named.get(name.casefold(), name)


def _refuse_unregistered(factory: ProcessFactory, scenario: Scenario, workload: Workload) -> None:
    """Ask about all that clients may send before anything runs."""
    process = factory(scenario.groups[0])
    for dst in workload.sets() or ():
        process.entry(dst, None)


def _workload(scenario: Scenario, parameters: Parameters) -> Workload:
    nearest = scenario.nearest()
    if parameters.workload == "gtpcc-evaluation":
        # The evaluation had one list of neighbours for each overlay.
        overlay = (parameters.overlay or "").upper()
        nearest = dict(scenario.published_nearest.get(overlay, nearest))
    return make_workload(
        parameters.workload,
        scenario.groups,
        nearest=nearest,
        locality=parameters.locality,
        sizes=parameters.sizes,
        global_share=parameters.global_share,
        keys=parameters.keys,
    )


def _plan(
    scenario: Scenario, parameters: Parameters, workload: Workload, flush_client: str | None
) -> SimulationPlan:
    jitter = scenario.network.jitter if parameters.jitter is None else parameters.jitter
    network = replace(
        scenario.network.scaled(parameters.latency_scale),
        jitter=jitter,
        cpu_us_per_message=parameters.cpu_us,
        cpu_us_per_kb=parameters.cpu_us_per_kb,
    )
    groups = scenario.groups
    homes = [groups[number % len(groups)] for number in range(parameters.clients)]
    duration = parameters.duration_s
    messages = parameters.messages
    if messages is None and duration is None:
        messages = MESSAGES
    return SimulationPlan(
        groups=groups,
        network=network,
        placement=scenario.placement,
        clients=[
            ClientPlan(
                home,
                scenario.client_sites[home],
                inside=scenario.clients_inside,
                rate_s=parameters.rate,
                waits_for_near=parameters.wait_for == "home",
            )
            for home in homes
        ],
        draw=workload.draw,
        messages=messages,
        duration_us=None if duration is None else round(duration * 1_000_000),
        log_period_us=round(parameters.log_period_ms * 1000),
        flush=None
        if flush_client is None
        else FlushPlan(flush_client, round(parameters.flush_ms * 1000)),
    )
