"""One simulated run from plain parameters: what the command line and experiments call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

import msgspec

from amcast.check import Verdict, check
from amcast.core import GroupId
from amcast.overlays import PropagationGraph
from amcast.protocols import Overlay, ProcessFactory, Protocol, protocol_named
from amcast.scenarios.catalogue import Scenario, scenario_named
from amcast.scenarios.possible import check_lost_groups, check_numbers, outages_of
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
    outages: int = 0
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
        check_numbers(parameters)
        self.parameters = parameters
        self.protocol: Protocol = protocol_named(parameters.protocol)
        self.scenario: Scenario = scenario_named(parameters.scenario, parameters.groups)
        workload = _workload(self.scenario, parameters)
        overlay = _overlay(self.protocol, self.scenario, parameters.overlay, workload)
        self.factory = self.protocol.factory(
            self.scenario.groups, overlay, options=parameters.options
        )
        self.promises = self.protocol.promises_with(parameters.options)
        check_lost_groups(parameters, self.protocol, len(self.scenario.groups))
        self.faults = _faults(parameters, self.protocol, self.scenario.groups)
        if self.protocol.overlay == "sets":
            _refuse_unregistered(self.factory, self.scenario, workload)
        reserved = self.protocol.reserved_client(parameters.options)
        self.plan = _plan(self.scenario, parameters, workload, reserved)

    def simulate(
        self, recorder: Recorder | None = None, progress: Progress | None = None
    ) -> Outcome:
        seed = self.parameters.seed
        if self.parameters.replicas == 1:
            return Simulation(self.plan, self.factory, seed=seed, recorder=recorder).run(progress)
        return ReplicatedSimulation(
            self.plan,
            self.factory,
            _replication(self.parameters),
            seed=seed,
            recorder=recorder,
            faults=self.faults,
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


def _faults(
    parameters: Parameters, protocol: Protocol, groups: tuple[GroupId, ...]
) -> FaultPlan | None:
    crashes, lost = parameters.crashes, parameters.lost_groups
    outages = outages_of(parameters, protocol, groups)
    if not crashes and not lost and not outages.count:
        return None
    return FaultPlan.of_crashes(crashes, lost, outages)


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
