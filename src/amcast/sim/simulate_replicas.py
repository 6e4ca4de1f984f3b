"""The virtual-time driver for groups of replicas: the same heap, clock and seed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from random import Random
from typing import Any

from amcast.consensus import Event
from amcast.core import GroupId
from amcast.sim.clients import FlushClient
from amcast.sim.faults import FaultPlan, Faults
from amcast.sim.patient import Patient, PatientFlushClient
from amcast.sim.plan import Outcome, SimulationPlan
from amcast.sim.recorder import Recorder
from amcast.sim.replica import ReplicaNode
from amcast.sim.replica_plan import ReplicaPlan
from amcast.sim.replicated import GroupNode
from amcast.sim.simulation import ProcessFactory, Progress, Simulation

# How often it is asked whether the run is over: logs keep their timers running for ever.
EVENTS_PER_LOOK = 500
# If no log grows for so many retries of a client, nothing more will come ...
RETRIES_IN_VAIN = 15
# ... unless a process waits for a timer; then for so many times the longest.
TIMERS_IN_VAIN = 2


class ReplicatedSimulation(Simulation):
    """One run of replicated groups. The same plans, protocol and seed always make the same one."""

    client_type = Patient
    flusher_type = PatientFlushClient

    def __init__(
        self,
        plan: SimulationPlan,
        factory: ProcessFactory,
        replication: ReplicaPlan,
        *,
        seed: int = 1,
        recorder: Recorder | None = None,
        faults: FaultPlan | None = None,
    ) -> None:
        self.replication = replication
        self.timer_random = Random(f"timers {seed}")
        self.fault_random = Random(f"faults {seed}")
        self.faults: Faults | None = None
        self._applied = self._progress_us = 0
        super().__init__(plan, factory, seed=seed, recorder=recorder)
        if faults is not None:
            self.faults = Faults(faults, self)

    def _make_nodes(self, factory: ProcessFactory) -> dict[GroupId, Any]:
        plan = self._plan
        self.groups = {
            group: GroupNode(factory, group, self, plan.network, self.replication)
            for group in plan.groups
        }
        for node in self.groups.values():
            if self.recorder is not None:
                for replica in node.replicas.values():
                    self.recorder.process(replica.name, node.group)
            node.connect(self._links(plan.placement[node.group], plan.groups))
        return dict(self.groups)

    # Running.

    def run(self, progress: Progress | None = None) -> Outcome:
        """Let clients send, then go on until nothing is left to happen but timers of the logs."""
        for node in self.groups.values():
            node.start()
        if self.faults is not None:
            self.faults.start()
        for client in self.clients.values():
            client.start()
        events = idle = 0
        signs = self._signs_of_life()
        while not self._is_over() and idle <= self._patience():
            events += self._run_some(EVENTS_PER_LOOK)
            before, signs = signs, self._signs_of_life()
            idle = idle + EVENTS_PER_LOOK if signs == before else 0
            if progress is not None:
                progress(self._share_done())
        return self._outcome(events, drained=self._is_done())

    def _is_over(self) -> bool:
        if self.faults is not None and not self.faults.healed:
            return False
        return self._is_done() or self._waits_in_vain()

    def _is_done(self) -> bool:
        """Whether nobody waits for anything, but for groups that are lost for ever."""
        if self.faults is not None and self.left_of(tuple(self.faults.operator.busy)):
            return False
        if self.is_sending() or any(client.waits for client in self.patients):
            return False
        return not self._restless()

    def _restless(self) -> list[GroupId]:
        lost = self.faults.lost if self.faults is not None else {}
        return [group for group in self.left() if not self.groups[group].is_quiet(lost)]

    def unfinished(self) -> list[str]:
        """What is wrong with the end of a run, whatever was delivered, in words."""
        complaints = [f"progress: {group} never comes to rest" for group in self._restless()]
        if not complaints and not self._is_done():
            complaints = ["progress: a client or the operator waits in vain"]
        return complaints + [
            f"same state: replicas of {group} differ after the same slot"
            for group in self.left()
            if not self.groups[group].is_of_one_mind()
        ]

    def is_sending(self) -> bool:
        """Dead clients send nothing, however much is left to send."""
        return super().is_sending() and not all(client.is_dead for client in self._senders)

    @cached_property
    def _senders(self) -> list[Patient]:
        return [client for client in self.patients if not isinstance(client, FlushClient)]

    @cached_property
    def patients(self) -> list[Patient]:
        """All clients. They are asked for with each message: there may be thousands."""
        return [client for client in self.clients.values() if isinstance(client, Patient)]

    def _waits_in_vain(self) -> bool:
        applied = sum(node.applied for node in self.groups.values())
        if applied != self._applied:
            self._applied, self._progress_us = applied, self.now_us
        since = max(self._progress_us, self.faults.healed_us if self.faults else 0)
        timers = max((node.longest_timer_us() for node in self.groups.values()), default=0)
        patience_us = max(RETRIES_IN_VAIN * self.replication.retry_us, TIMERS_IN_VAIN * timers)
        return self.now_us - since > patience_us

    # What nodes and clients use.

    def left(self) -> tuple[GroupId, ...]:
        return self.left_of(tuple(self.groups))

    def left_of(self, dst: tuple[GroupId, ...]) -> tuple[GroupId, ...]:
        """The groups that are not known to be lost for ever."""
        lost = self.faults.lost if self.faults is not None else ()
        return tuple(group for group in dst if group not in lost)

    def entry_again(self, dst: tuple[GroupId, ...], home: GroupId | None) -> tuple[GroupId, ...]:
        """Where to submit what got no reply: the destinations that are up may know better."""
        entries = [self.entry]
        if self.groups[self._plan.groups[0]].process.entry_moves:
            up = [self.groups[group].process_that_is_up() for group in dst]
            entries = [process.entry for process in up if process is not None] or entries
        return tuple(dict.fromkeys(group for entry in entries for group in entry(dst, home)))

    def is_lost(self, source: str, target: str) -> bool:
        return self.faults is not None and self.faults.is_lost(source, target)

    def transmit(
        self, source: str, target: str, arrival_us: int, act: Callable[[Any], object], event: Event
    ) -> bool:
        """Send between two replicas; whether it will arrive."""
        if self.faults is None:
            self.at(arrival_us, act, event)
            return True
        arrivals = self.faults.arrivals(source, target, arrival_us)
        for at_us in arrivals:
            self.at(at_us, act, event)
        return bool(arrivals)

    def record_inside(
        self, source: ReplicaNode, target: ReplicaNode, inside: object, arrival_us: int | None
    ) -> None:
        """A packet of the log or of a channel, which is about no message."""
        assert self.recorder is not None
        self.recorder.packet(
            source.name, target.name, source.group, target.group,
            type(inside).__name__.lower(), (), self.now_us, arrival_us,
            len(self._encode(inside)),
        )  # fmt: skip
