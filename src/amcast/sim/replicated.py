"""A simulated group of replicas: to clients and to other groups, one node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from amcast.consensus import Event, ReplicaId, Settings
from amcast.consensus import Replica as LogReplica
from amcast.consensus.timers import ELECTION
from amcast.core import GroupId, InvalidInput, MessageId, Process, Submitted
from amcast.groups import (
    Ack,
    Acknowledged,
    Codec,
    Deliver,
    FromClient,
    FromGroup,
    Inquired,
    Member,
    Packet,
    SendToGroup,
)
from amcast.sim.network import Link, Network
from amcast.sim.patient import Patient
from amcast.sim.replica import ReplicaNode

if TYPE_CHECKING:
    from amcast.sim.simulate_replicas import ReplicatedSimulation


@dataclass(frozen=True)
class ReplicaPlan:
    """How groups are replicated. Time-outs are long against the delays of most networks."""

    replicas: int = 3
    # One way between two replicas of a group.
    inside_us: int = 50
    sync_us: int = 0
    heartbeat_us: int = 50_000
    election_us: int = 250_000
    election_spread_us: int = 250_000
    resend_us: int = 1_000_000
    # When a client that has not got all replies asks again.
    retry_us: int = 2_000_000
    batch_max: int = 64
    window: int = 8
    snapshot_every: int = 10_000
    entries_kept: int = 1_000

    def settings(self, me: ReplicaId) -> Settings:
        return Settings(
            me=me,
            size=self.replicas,
            heartbeat_us=self.heartbeat_us,
            election_us=self.election_us,
            election_spread_us=self.election_spread_us,
            batch_max=self.batch_max,
            window=self.window,
            snapshot_every=self.snapshot_every,
            entries_kept=self.entries_kept,
        )

    def __post_init__(self) -> None:
        if min(self.inside_us, self.sync_us) < 0 or min(self.resend_us, self.retry_us) < 1:
            raise InvalidInput("delays inside a group and of its disks are 0 or more")


class GroupNode:
    """One group of several replicas."""

    def __init__(
        self,
        factory: Callable[[GroupId], Process[Any, Any]],
        group: GroupId,
        sim: ReplicatedSimulation,
        network: Network,
        plan: ReplicaPlan,
    ) -> None:
        # Of the processes it makes, one only answers questions, such as where to submit.
        self.process = factory(group)
        self.group = group
        self.plan = plan
        self.sent = 0
        self.cpu_us = network.cpu_us_per_message
        self.codec = Codec(type(self.process))
        self._factory = factory
        self._sim = sim
        self._links: dict[GroupId, Link] = {}
        # Where clients send first: the replica that replied last.
        self._contact = 0
        self._has_begun = False
        self.replicas = {
            number: ReplicaNode(self, sim, plan.settings(number)) for number in range(plan.replicas)
        }

    @property
    def name(self) -> str:
        return self.replicas[self._contact].name

    def _members(self) -> list[Member]:
        """Those that are up."""
        return [each.member for each in self.replicas.values() if each.member is not None]

    @property
    def delivered(self) -> int:
        members = self._members()
        return max((member.machine.state.delivered for member in members), default=0)

    @property
    def applied(self) -> int:
        """How far its log is known to go."""
        return max(
            (each.member.applied for each in self.replicas.values() if each.member), default=0
        )

    def make_member(self, replica: LogReplica) -> Member:
        process = self._factory(self.group)
        return Member(process, replica, self.codec, resend_us=self.plan.resend_us)

    def connect(self, links: dict[GroupId, Link]) -> None:
        self._links = links

    def start(self) -> None:
        for replica in tuple(self.replicas.values()):
            replica.start()

    def is_quiet(self) -> bool:
        """Whether all that is up has applied the same, and its leader waits for nobody."""
        members = self._members()
        leaders = [member for member in members if member.leading]
        return (
            len({member.applied for member in members}) == 1
            and len(leaders) == 1
            and not leaders[0].machine.is_busy()
        )

    def leader(self) -> ReplicaNode | None:
        """Whoever leads, or believes so under the highest ballot."""
        leaders = [each for each in self.replicas.values() if each.member and each.member.leading]
        return max(leaders, key=lambda each: each.promised, default=None)

    def add_replica(self) -> ReplicaNode:
        """A machine with a new name and an empty disk, which is no member yet."""
        replica = ReplicaNode(self, self._sim, self.plan.settings(len(self.replicas)))
        self.replicas[replica.number] = replica
        if self._sim.recorder is not None:
            self._sim.recorder.process(replica.name, self.group)
        return replica

    def longest_timer_us(self) -> int:
        """Of the timers that its process has set."""
        members = self._members()
        running = [timer for member in members for timer in member.process.timers.running.values()]
        return max((delay_us for _, delay_us in running), default=0)

    def can_spare_one(self) -> bool:
        """Whether a majority is up even without one of those that are."""
        up = sum(each.member is not None for each in self.replicas.values())
        return up - 1 > len(self.replicas) // 2

    # Clients.

    def arrive(self, submitted: Submitted) -> None:
        """A client's message comes for the first time, to whoever it takes for the leader."""
        self.replicas[self._contact].arrive(FromClient(submitted))

    def arrive_again(self, submitted: Submitted) -> None:
        for replica in tuple(self.replicas.values()):
            replica.arrive(FromClient(submitted))

    def inquire(self, id: MessageId) -> None:
        """A client has not got this group's reply."""
        for replica in tuple(self.replicas.values()):
            replica.arrive(Inquired(id))

    def deliver(self, replica: ReplicaNode, deliver: Deliver) -> None:
        id = deliver.multicast.id
        self.record_delivery(replica, deliver.seq, id)
        if deliver.reply:
            self._contact = replica.number
            self._reply(id)

    def record_delivery(self, replica: ReplicaNode, seq: int, id: MessageId) -> None:
        sim = self._sim
        if sim.recorder is not None:
            sim.recorder.delivery(replica.name, self.group, seq, id, sim.now_us)

    def reply_again(self, client: str, seq: int) -> None:
        self._reply(MessageId(client, seq))

    def _reply(self, id: MessageId) -> None:
        sim = self._sim
        client = sim.clients[id.client]
        assert isinstance(client, Patient)
        multicast = client.open_message(id.seq)
        if multicast is None or sim.is_lost(self.name, client.id):
            return
        link = client.reply_link(self.group)
        arrival = sim.now_us if link is None else link(sim.now_us, 0)
        sim.at(arrival, client.on_reply, (multicast, self.group))

    # Other groups, and the replicas of this one.

    def send(self, source: ReplicaNode, send: SendToGroup) -> None:
        target = self._sim.nodes[send.target]
        assert isinstance(target, GroupNode)
        event: Event
        if type(send.content) is Packet:
            event = FromGroup(self.group, source.number, send.content)
        else:
            assert isinstance(send.content, Ack)
            event = Acknowledged(self.group, source.number, send.content)
        chosen = target.replicas.get(send.replica) if send.replica is not None else None
        for replica in tuple(target.replicas.values()) if chosen is None else (chosen,):
            self._transmit(source, replica, send.content, event)

    def _transmit(
        self, source: ReplicaNode, target: ReplicaNode, content: Packet | Ack, event: Event
    ) -> None:
        sim = self._sim
        size = sim.size_of(content) if sim.sizes_matter else 0
        arrival = self._links[target.group](sim.now_us, size)
        self.sent += 1
        delivered = sim.transmit(source.name, target.name, arrival, target.arrive, event)
        if sim.packets == "off":
            return
        received_us = arrival if delivered else None
        if isinstance(content, Packet):
            sim.record_packet(source.name, self.group, target, content.message, received_us, size)
        else:
            sim.record_inside(source, target, content, received_us)

    def send_inside(self, source: ReplicaNode, target: ReplicaId, event: Event) -> None:
        sim = self._sim
        replica = self.replicas.get(target)
        if replica is None:
            return
        arrival = sim.now_us + self.plan.inside_us
        delivered = sim.transmit(source.name, replica.name, arrival, replica.arrive, event)
        if sim.packets != "off":
            inside = getattr(event, "message", event)
            sim.record_inside(source, replica, inside, arrival if delivered else None)

    # Time and disks.

    def timer_us(self, replica: ReplicaNode, timer: str, delay_us: int, spread_us: int) -> int:
        """How long a timer runs: the random part of time-outs is drawn here."""
        if timer == ELECTION and not self._has_begun and replica.number == 0:
            self._has_begun = True
            return 0  # a run begins with an election that nobody contests
        drawn = delay_us + (self._sim.timer_random.randint(0, spread_us) if spread_us else 0)
        return round(drawn * replica.timer_speed)

    def sync_us(self) -> int:
        faults = self._sim.faults
        return self.plan.sync_us + (faults.sync_us() if faults is not None else 0)
