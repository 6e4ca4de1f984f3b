"""A simulated group of replicas: to clients and to other groups, one node."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from amcast.consensus import Event, ReplicaId, Slot
from amcast.consensus import Replica as LogReplica
from amcast.consensus.timers import ELECTION
from amcast.core import ClientId, GroupId, MessageId, Process, Submitted
from amcast.core import Event as CoreEvent
from amcast.groups import (
    Ack,
    Codec,
    Deliver,
    FromClient,
    Inquired,
    Member,
    Packet,
    Question,
    SendToGroup,
    incoming,
)
from amcast.sim.network import Link, Network
from amcast.sim.patient import Patient
from amcast.sim.recorded import content_of
from amcast.sim.replica import ReplicaNode
from amcast.sim.replica_plan import ReplicaPlan

if TYPE_CHECKING:
    from amcast.sim.simulate_replicas import ReplicatedSimulation


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
        self._cpu_us = network.cpu_us_per_message
        self._cpu_us_per_byte = network.cpu_us_per_kb / 1000
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
        return Member(
            process,
            replica,
            self.codec,
            resend_us=self.plan.resend_us,
            expire_after=self.plan.expire_after,
        )

    def decided(self, member: Member, before: Slot) -> Iterator[CoreEvent]:
        """What `member` took from its log after slot `before`, unless it had that already."""
        log = member.replica.memory.log
        for slot in range(before + 1, member.applied + 1):
            commands = log[slot].batch if slot in log else ()
            for event, bypass in map(self.codec.decode, filter(None, commands)):
                if not bypass:
                    yield event

    def cpu_us(self, event: Event) -> float:
        """What it costs a replica to take up what came."""
        if not self._cpu_us_per_byte:
            return self._cpu_us
        return self._cpu_us + self._cpu_us_per_byte * self._sim.size_of(content_of(event))

    def connect(self, links: dict[GroupId, Link]) -> None:
        self._links = links

    def start(self) -> None:
        for replica in tuple(self.replicas.values()):
            replica.start()

    def is_quiet(self, lost: Container[GroupId]) -> bool:
        """Whether all that is up has applied the same, and its leader waits for nobody."""
        members = self._members()
        leaders = [member for member in members if member.leading]
        return (
            len({member.applied for member in members}) == 1
            and len(leaders) == 1
            and leaders[0].is_idle()
            and not leaders[0].machine.is_busy(lost)
        )

    def is_of_one_mind(self) -> bool:
        """Whether replicas that have applied the same are the same, but for their channels."""
        minds: dict[int, dict[bytes, None]] = {}
        for member in self._members():
            state = member.machine.state
            agreed = (state.delivered, state.last_delivered, state.wanted, state.instances)
            mind = _in_any_order(member.process.snapshot()) + msgspec.msgpack.encode(agreed)
            minds.setdefault(member.applied, {})[mind] = None
        return all(len(each) == 1 for each in minds.values())

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

    def process_that_is_up(self) -> Process[Any, Any] | None:
        """As the leader has it, or else whoever is there."""
        leader = self.leader()
        members = self._members() if leader is None else [leader.member]
        return next((member.process for member in members if member is not None), None)

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
        replica.account.deliver(deliver.seq, id)
        if deliver.reply:
            self._contact = replica.number
            self._reply(id)

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

    def forget(self, id: ClientId) -> None:
        """Tell that client that it is not known here any more."""
        client = self._sim.clients[id]
        assert isinstance(client, Patient)
        if not self._sim.is_lost(self.name, id):
            link = client.reply_link(self.group)
            arrival = self._sim.now_us if link is None else link(self._sim.now_us, 0)
            self._sim.at(arrival, client.on_forgotten, None)

    # Other groups, and the replicas of this one.

    def send(self, source: ReplicaNode, send: SendToGroup) -> None:
        target = self._sim.nodes[send.target]
        assert isinstance(target, GroupNode)
        event = incoming(self.group, source.number, send.content)
        chosen = target.replicas.get(send.replica) if send.replica is not None else None
        for replica in tuple(target.replicas.values()) if chosen is None else (chosen,):
            self._transmit(source, replica, send.content, event)

    def _transmit(
        self,
        source: ReplicaNode,
        target: ReplicaNode,
        content: Packet | Ack | Question,
        event: Event,
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
            sim.record_inside(source, replica, content_of(event), arrival if delivered else None)

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


def _in_any_order(snapshot: bytes) -> bytes:
    """The same for the same content: what bypasses the log may have come in another order."""
    return msgspec.msgpack.encode(_sorted(msgspec.msgpack.decode(snapshot)))


def _sorted(content: Any) -> Any:
    if isinstance(content, dict):
        pairs = ([_sorted(key), _sorted(value)] for key, value in content.items())
        return sorted(pairs, key=msgspec.msgpack.encode)
    if isinstance(content, list | tuple):
        return [_sorted(each) for each in content]
    return content
