"""What goes wrong in a run, drawn from its seed: bad times, and then all is healed.

Until then machines crash and come back with their disks, disks are slow and fail, packets are
lost, repeated and late, and groups are cut off or away. Afterwards only groups that were lost for
ever stay away, so whatever is still missing then is missing for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING

from amcast.consensus import Effect
from amcast.core import GroupId, InvalidInput, Suspected, Trusted
from amcast.groups import Noticed
from amcast.sim.operator import Operator
from amcast.sim.outages import NO_OUTAGES, OutagePlan, Outages
from amcast.sim.replica import ReplicaNode

if TYPE_CHECKING:
    from amcast.sim.simulate_replicas import ReplicatedSimulation


@dataclass(frozen=True)
class FaultPlan:
    """How bad it gets, and until when. Means of 0 stand for never, shares are of 1."""

    heal_us: int
    # Any number of machines, or with `crashes` so many, never a majority of a group at once.
    crash_mean_us: int = 0
    crashes: int | None = None
    down_mean_us: int = 300_000
    whole_group: float = 0.0
    storage_failure: float = 0.0
    # Of the crashes: the disk is gone for good, and an operator replaces the replica.
    wiped: float = 0.0
    # In the middle of carrying out what a step asked for.
    crash_midway: float = 0.0
    loss: float = 0.0
    repeat: float = 0.0
    late: float = 0.0
    late_by_us: int = 0
    cut_mean_us: int = 0
    slow_sync_us: int = 0
    timer_skew: float = 0.0
    client_death: float = 0.0
    # So many groups are lost for ever; others suspect them some time later.
    disasters: int = 0
    outages: OutagePlan = NO_OUTAGES

    @classmethod
    def of_crashes(
        cls, count: int, lost_groups: int = 0, outages: OutagePlan = NO_OUTAGES
    ) -> FaultPlan:
        """So many crashes, one after the other, each restarted with its disk; and groups lost."""
        spread_us = 500_000
        calm = cls(heal_us=2 * spread_us, disasters=lost_groups, outages=outages)
        if not count:
            return calm
        return replace(calm, heal_us=spread_us, crashes=count, crash_mean_us=spread_us)

    def __post_init__(self) -> None:
        if self.heal_us < 1:
            raise InvalidInput("bad times must end: heal after 1 us or more")


class Faults:
    """The faults of one run."""

    def __init__(self, plan: FaultPlan, sim: ReplicatedSimulation) -> None:
        self.plan = plan
        self.healed = False
        self.healed_us = 0
        self.lost: dict[GroupId, None] = {}
        self._sim = sim
        self._random: Random = sim.fault_random
        self._crashes_left = plan.crashes
        # What the failure detectors say of groups that were missed.
        self._noticed: dict[GroupId, Suspected | Trusted] = {}
        self.outages = Outages(plan.outages, self, sim)
        self.operator = Operator(sim)
        self._cut: dict[tuple[str, str], None] = {}
        self._machines = [
            replica for node in sim.groups.values() for replica in node.replicas.values()
        ]

    def start(self) -> None:
        plan, sim, random = self.plan, self._sim, self._random
        for machine in self._machines:
            machine.timer_speed = 1 + random.uniform(-plan.timer_skew, plan.timer_skew)
        if plan.crash_mean_us:
            sim.after(self.soon(plan.crash_mean_us), self._crash_next, None)
        if plan.cut_mean_us:
            sim.after(self.soon(plan.cut_mean_us), self._cut_next, None)
        for _ in range(plan.disasters):
            sim.after(random.randrange(plan.heal_us), self._lose_group, None)
        self.outages.start()
        if self._crashes_left is None:
            sim.after(plan.heal_us, self._heal, None)

    def soon(self, mean_us: int) -> int:
        return 1 + int(self._random.expovariate(1 / mean_us))

    # The network and the disks.

    def is_lost(self, source: str, target: str) -> bool:
        """For a packet from or to a client."""
        return not self.healed and self._random.random() < self.plan.loss

    def arrivals(self, source: str, target: str, arrival_us: int) -> Sequence[int]:
        """When the copies of a packet between replicas arrive: none, one or two."""
        if self.healed:
            return (arrival_us,)
        plan, random = self.plan, self._random
        if (source, target) in self._cut or random.random() < plan.loss:
            return ()
        if random.random() < plan.late:
            arrival_us += random.randint(0, plan.late_by_us)
        if random.random() < plan.repeat:
            return (arrival_us, arrival_us + random.randint(0, plan.late_by_us))
        return (arrival_us,)

    def sync_us(self) -> int:
        """How much longer than usual a disk takes."""
        return 0 if self.healed else self._random.randint(0, self.plan.slow_sync_us)

    def crash_point(self, machine: ReplicaNode, effects: list[Effect]) -> int | None:
        """After how many of its effects the machine crashes, if it does."""
        if self.healed or not effects or self._random.random() >= self.plan.crash_midway:
            return None
        return self._random.randrange(len(effects))

    def client_dies(self) -> bool:
        return not self.healed and self._random.random() < self.plan.client_death

    # Machines.

    def _crash_next(self, _: None) -> None:
        if self.healed:
            return
        if self._crashes_left is not None:
            self._crash_one_of_a_minority()
        else:
            self._crash_any()
        if self._crashes_left == 0:
            self._sim.after(self.plan.down_mean_us, self._heal, None)
        else:
            self._sim.after(self.soon(self.plan.crash_mean_us), self._crash_next, None)

    def _crash_any(self) -> None:
        random = self._random
        leaders = [each for each in self._machines if each.member and each.member.leading]
        victim = random.choice(random.choice((self._machines, leaders or self._machines)))
        if random.random() < self.plan.whole_group:
            for machine in tuple(victim.node.replicas.values()):
                self.crash(machine)
        elif random.random() < self.plan.storage_failure:
            victim.disk.failing = True
            self._sim.after(self.soon(self.plan.down_mean_us), self._replace_disk, victim)
        else:
            self.crash(victim)

    def _crash_one_of_a_minority(self) -> None:
        assert self._crashes_left is not None
        candidates = [
            machine
            for machine in self._machines
            if machine.member is not None and machine.node.can_spare_one()
        ]
        if candidates:
            self._crashes_left -= 1
            self.crash(self._random.choice(candidates))

    def crash(self, machine: ReplicaNode) -> None:
        if machine.member is None or machine.group in self.lost:
            return
        machine.crash()
        if self._random.random() < self.plan.wiped and self.operator.can_replace(machine):
            self._machines.append(self.operator.replace(machine))
        else:
            self._sim.after(self.soon(self.plan.down_mean_us), self._restart, machine)

    def _replace_disk(self, machine: ReplicaNode) -> None:
        """The disk works again. What was written to it meanwhile may be gone."""
        if machine.disk.failing and machine.group not in self.lost:
            machine.crash()
            self._restart(machine)

    def _restart(self, machine: ReplicaNode) -> None:
        gone = machine.group in self.lost or machine.name in self.operator.replaced
        if machine.member is None and not gone and machine.group not in self.outages.down:
            machine.restart()
            for group, noticed in self._noticed.items():
                if group != machine.group:
                    machine.handle(Noticed(noticed))

    # Groups.

    def _cut_next(self, _: None) -> None:
        """Replaces the cuts: none, between two halves of all machines, or in single directions."""
        if self.healed:
            return
        random = self._random
        kind = random.choice(("none", "halves", "one way", "one machine"))
        side = {machine.name: random.random() < 0.5 for machine in self._machines}
        alone = random.choice(self._machines).name
        self._cut = {}
        for one in side:
            for other in side:
                if (
                    (kind == "halves" and side[one] != side[other])
                    or (kind == "one way" and random.random() < 0.2)
                    or (kind == "one machine" and alone in (one, other))
                ):
                    self._cut[one, other] = None
        self._record_cut()
        self._sim.after(self.soon(self.plan.cut_mean_us), self._cut_next, None)

    def _record_cut(self) -> None:
        recorder, now_us = self._sim.recorder, self._sim.now_us
        if recorder is not None:
            recorder.fault(self._machines[0].name, "heal", now_us)
            for one, other in self._cut:
                recorder.fault(one, "partition", now_us, peer=other)

    def _lose_group(self, _: None) -> None:
        """All machines of a group are gone, and the failure detectors elsewhere notice."""
        left = [group for group in self._sim.groups if group not in self.lost]
        group = self._random.choice(left)
        self.lost[group] = None
        self.crash_all(group)
        for client in self._sim.patients:
            if client.home == group:
                client.die()
        self._sim.after(self.soon(self.plan.down_mean_us), self.notice, Suspected(group))

    def crash_all(self, group: GroupId) -> None:
        for machine in self._sim.groups[group].replicas.values():
            if machine.member is not None:
                machine.crash()

    def restart_all(self, group: GroupId) -> None:
        for machine in tuple(self._sim.groups[group].replicas.values()):
            self._restart(machine)

    def notice(self, event: Suspected | Trusted) -> None:
        """The failure detectors of all other groups tell them."""
        self._noticed[event.group] = event
        for machine in tuple(self._machines):
            if machine.group != event.group:
                machine.handle(Noticed(event))

    def _heal(self, _: None) -> None:
        if self.outages.left:
            self._sim.after(self.plan.down_mean_us, self._heal, None)
            return
        self.healed = True
        self.healed_us = self._sim.now_us
        self._cut = {}
        self._record_cut()
        for machine in tuple(self._machines):
            machine.timer_speed = 1.0
            self._replace_disk(machine)
            self._restart(machine)
