"""Random runs of `RecoveringPropagation`: groups fail, are left out, and come back.

A group that fails does nothing until it comes back; what it had sent arrives before that or
only afterwards. Some groups are left out although they never failed.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from random import Random

from amcast.check import violations
from amcast.core import GroupId, MessageId, Multicast, Suspected, Trusted
from amcast.overlays import PropagationGraph
from amcast.protocols.propagation_recovery import RecoveringPropagation
from amcast.protocols.registry import ATOMIC_MULTICAST
from amcast.sim.world import PacketName
from tests.protocols.propagation.propagation_runs import ManyViews

SPEEDS = 30.0
RETRIES = 0.3
RESTORES = 0.03
FAILURES_MAX = 3


@dataclass(frozen=True)
class Failure:
    """One group's absence: it does nothing for a while, which `reporter` notices later."""

    group: GroupId
    reporter: GroupId
    fails: float
    suspected: float
    back: float
    trusted: float
    # Whether it really fails, and whether what it sent before is held up with it.
    real: bool
    holds_packets: bool


@dataclass(frozen=True)
class Notice:
    reporter: GroupId
    event: Suspected | Trusted


Action = PacketName | Multicast | Notice


class RecoveryRun:
    """One seed's groups, sets, failures, messages and schedule."""

    def __init__(
        self, seed: int, process: type[RecoveringPropagation] = RecoveringPropagation
    ) -> None:
        self.random = random = Random(f"recovery {seed}")
        self.process = process
        self.groups = tuple(f"g{number}" for number in range(1, random.randint(3, 6) + 1))
        sizes = [min(len(self.groups), random.choice((1, 2, 2, 3, 4))) for _ in range(6)]
        self.sets = [tuple(sorted(random.sample(self.groups, size))) for size in sizes]
        rank = random.sample(self.groups, len(self.groups))
        self.graph = (
            PropagationGraph.for_any_set(self.groups)
            if random.random() < 0.2
            else PropagationGraph.generate(self.groups, self.sets, rank)
        )
        self.manager = random.choice(self.groups)
        self.failures = self._draw_failures()
        self.world = ManyViews(self.make, self.groups, random=random)
        self._speeds: dict[tuple[str, str], float] = {}
        self._due: list[tuple[float, int, Action]] = []
        self._known: dict[PacketName, None] = {}
        self._tickets = 0

    def make(self, group: GroupId) -> RecoveringPropagation:
        return self.process(group, self.groups, self.graph, manager=self.manager)

    def _draw_failures(self) -> list[Failure]:
        """Each group at most once, several possibly at the same time; never the manager."""
        random = self.random
        others = [group for group in self.groups if group != self.manager]
        failing = random.sample(others, random.randint(1, min(FAILURES_MAX, len(others))))
        failures = []
        for group in failing:
            fails = random.uniform(2, 20)
            suspected = fails + random.uniform(0, 10)
            back = suspected + random.uniform(0, 30)
            trusted = back + random.uniform(0, 5)
            reporter = random.choice([other for other in self.groups if other not in failing])
            real, holds = random.random() < 0.8, random.random() < 0.5
            failures.append(Failure(group, reporter, fails, suspected, back, trusted, real, holds))
        return failures

    def run(self) -> list[str]:
        """What it violates; a protocol that falls over violates something too."""
        try:
            self._run()
        except (AssertionError, LookupError, RuntimeError, ValueError) as error:
            return [f"crash: {type(error).__name__}: {error}"]
        return violations(self.world.history, ATOMIC_MULTICAST)

    @property
    def rolled_back(self) -> list[GroupId]:
        faults = self.world.history.faults
        return [fault.process[:-2] for fault in faults if fault.kind == "rollback"]

    def _run(self) -> None:
        random = self.random
        for number in range(random.randint(5, 25)):
            # Clients have random names, so that ids do not follow the order of sending.
            id = MessageId(f"c{random.randrange(100)}", number)
            self._push(random.uniform(0, 50), Multicast(id, random.choice(self.sets)))
        for failure in self.failures:
            self._push(failure.suspected, Notice(failure.reporter, Suspected(failure.group)))
            self._push(failure.trusted, Notice(failure.reporter, Trusted(failure.group)))
        while self._due:
            now, _, action = heappop(self._due)
            later = self._held_up_until(action, now)
            if later > now:
                self._push(later + random.uniform(0, 3), action)
            else:
                self._do(action, now)
                self._schedule_new(now)

    def _held_up_until(self, action: Action, now: float) -> float:
        for failure in self.failures:
            if (
                failure.real
                and failure.fails <= now < failure.back
                and isinstance(action, PacketName)
            ):
                held = action.source == failure.group and failure.holds_packets
                if held or action.target == failure.group:
                    return failure.back
        return now

    def _do(self, action: Action, now: float) -> None:
        match action:
            case PacketName():
                self.world.arrive(action)
                if self.random.random() < RESTORES:
                    self._restore(action.target)
            case Notice(reporter, event):
                self.world.notice(reporter, event)
            case Multicast():
                home = self.random.choice(action.dst) if self.random.random() < 0.5 else None
                self.world.multicast(action, home)
                if self.random.random() < RETRIES:
                    self._push(now + self.random.uniform(0, 30), action)

    def _restore(self, group: GroupId) -> None:
        fresh = self.make(group)
        fresh.restore(self.world.processes[group].snapshot())
        assert fresh.snapshot() == self.world.processes[group].snapshot()
        self.world.processes[group] = fresh

    def _schedule_new(self, now: float) -> None:
        for name in self.world.in_flight:
            if name not in self._known:
                ends = (name.source, name.target)
                speed = self._speeds.setdefault(ends, SPEEDS ** self.random.uniform(-0.5, 0.5))
                self._push(now + self.random.expovariate(1.0) * speed, name)

    def _push(self, at: float, action: Action) -> None:
        if isinstance(action, PacketName):
            self._known[action] = None
        self._tickets += 1
        heappush(self._due, (at, self._tickets, action))
