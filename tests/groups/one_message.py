"""What one message costs on replicated groups: delays and rounds, entries, packets.

Between groups everything takes one delay, inside a group half a round; a round of consensus
goes to the followers and back. Nothing else takes time. So the time at which a group delivers
is so many delays and so many rounds, which can be told apart and are exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from amcast.core import GroupId, MessageId
from amcast.protocols import ProcessFactory
from amcast.sim import (
    ClientPlan,
    HistoryRecorder,
    Network,
    ReplicaPlan,
    ReplicatedSimulation,
    SimulationPlan,
)
from amcast.sim.patient import Patient

GROUPS = ("g1", "g2", "g3", "g4")
DELAY_US = 10_000
INSIDE_US = 50
# By then every group has a leader, and nobody is about to hold an election.
QUIET_US = 1_000_000


class LatePatient(Patient):
    """Waits until the groups have their leaders."""

    def send_next(self) -> bool:
        if self._sim.now_us >= QUIET_US:
            return super().send_next()
        self._sim.at(QUIET_US, lambda _: self.send_next(), None)
        return True


class QuietSimulation(ReplicatedSimulation):
    client_type = LatePatient


class Stopwatch(HistoryRecorder):
    """Notes when the last message is sent, and when each group first delivers it: its leader."""

    def __init__(self) -> None:
        super().__init__()
        self.start_us = 0
        self.last: MessageId | None = None
        self.delivered_us: dict[GroupId, int] = {}
        self.kinds: Counter[str] = Counter()

    def multicast(
        self, msg: MessageId, sender: str, dst: object, at_us: int, *rest: object
    ) -> None:
        self.start_us, self.last, self.delivered_us = at_us, msg, {}

    def delivery(self, process: str, group: GroupId, seq: int, msg: MessageId, at_us: int) -> None:
        if msg == self.last:
            self.delivered_us.setdefault(group, at_us - self.start_us)

    def packet(self, *row: object) -> None:
        if row[2] is not None:
            self.kinds[str(row[4])] += 1


@dataclass(frozen=True)
class Cost:
    """Of one message. `at` holds the delays and the rounds until each group delivers."""

    at: dict[GroupId, tuple[int, float]]
    entries: int
    kinds: Counter[str]

    @property
    def delays(self) -> int:
        return max(delays for delays, _ in self.at.values())

    @property
    def rounds(self) -> float:
        """On the way to the last delivery. No number of rounds takes as long as one delay."""
        return max(self.at.values())[1]


def cost(
    factory: ProcessFactory,
    dst: tuple[GroupId, ...],
    home: GroupId | None = None,
    *,
    before: Sequence[tuple[GroupId, ...]] = (),
    replicas: int = 3,
    sync_us: int = 0,
) -> Cost:
    """What the last message costs that a client, outside or in `home`, sends after `before`."""
    sites = (*GROUPS, "client")
    messages = iter((*before, dst))
    stopwatch = Stopwatch()
    plan = SimulationPlan(
        groups=GROUPS,
        network=Network({a: {b: 0 if a == b else DELAY_US for b in sites} for a in sites}),
        placement={group: group for group in GROUPS},
        clients=[ClientPlan(home or GROUPS[0], home or "client", inside=home is not None)],
        draw=lambda near, random: (next(messages), 80, "multicast", None),
        messages=len(before) + 1,
    )
    replication = ReplicaPlan(replicas=replicas, inside_us=INSIDE_US, sync_us=sync_us)
    sim = QuietSimulation(plan, factory, replication, recorder=stopwatch)
    outcome = sim.run()
    assert outcome.drained
    assert sorted(stopwatch.delivered_us) == sorted(dst)
    round_us = 2 * INSIDE_US + sync_us
    times = {group: divmod(us, DELAY_US) for group, us in stopwatch.delivered_us.items()}
    return Cost(
        {group: (delays, rest / round_us) for group, (delays, rest) in times.items()},
        # Those before are for one group alone, and take one entry each.
        sum(node.applied for node in sim.groups.values()) - len(before),
        stopwatch.kinds,
    )
