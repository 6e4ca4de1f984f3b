"""The virtual-time driver: one heap of future events, one clock, one seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from itertools import count
from random import Random
from typing import Any, ClassVar

import msgspec
from mypy_extensions import mypyc_attr

from amcast.consensus import Event as LogEvent
from amcast.core import (
    ClientId,
    Event,
    GroupId,
    InvalidInput,
    Message,
    MessageId,
    Multicast,
    Process,
    ProcessId,
)
from amcast.sim.clients import Client, FlushClient
from amcast.sim.latency import Latencies
from amcast.sim.log import LogNode
from amcast.sim.network import Link, Site, Uplink
from amcast.sim.node import Node
from amcast.sim.plan import Endpoint, Outcome, SimulationPlan
from amcast.sim.recorded import carries_payload, kind_of, messages_of
from amcast.sim.recorder import Recorder

ProcessFactory = Callable[[GroupId], Process[Any, Any]]
Progress = Callable[[float], None]

EVENTS_PER_REPORT = 50_000
# A protocol that is busy for so many events, and so many more for each open message and pair
# of groups, without a multicast or a reply will not become quiet. Not a time: messages may be
# days apart.
PATIENCE_EVENTS = 200_000
PATIENCE_EVENTS_PER_MESSAGE = 100
# After so many messages of each client at time 0, time stands still.
MESSAGES_AT_ONCE_MAX = 10_000


@mypyc_attr(allow_interpreted_subclasses=True)
class Simulation:
    """One run. The same plan, protocol and seed always make the same one."""

    # Of the class: compiled, an attribute of the instance would hide what a subclass says.
    client_type: ClassVar[type[Client]] = Client
    flusher_type: ClassVar[type[FlushClient]] = FlushClient

    def __init__(
        self,
        plan: SimulationPlan,
        factory: ProcessFactory,
        *,
        seed: int = 1,
        recorder: Recorder | None = None,
    ) -> None:
        self.seed = seed
        self.now_us = 0
        self.recorder = recorder
        self.packets = "off" if recorder is None else recorder.packets
        self.milestones = recorder is not None and recorder.milestones
        # Sizes take time to work out: only if a record or a full line depends on them.
        self.sizes_matter = self.packets != "off" or plan.network.bandwidth_bytes_s is not None
        self.draw = plan.draw
        self._plan = plan
        self._heap: list[tuple[int, int, Callable[[Any], object], object]] = []
        self._tickets = count().__next__
        self._random = Random(f"network {seed}")
        self._unsent = plan.messages if plan.messages is not None else -1
        self._payloads: dict[int, bytes] = {}
        self._sized: object = None
        self._size = 0
        self._encode = msgspec.msgpack.Encoder().encode
        self._replied_us = 0
        self.latencies = Latencies(plan.duration_us)
        self.nodes: dict[GroupId, Any] = self._make_nodes(factory)
        self.entry = self.nodes[plan.groups[0]].process.entry
        self._flusher: FlushClient | None = None
        self.clients = self._make_clients()

    def _make_clients(self) -> dict[ClientId, Client]:
        plan = self._plan
        clients = {
            f"c{number}": self.client_type(f"c{number}", client, self)
            for number, client in enumerate(plan.clients, start=1)
        }
        if plan.flush is not None:
            self._flusher = self.flusher_type(plan.flush, plan.clients[0], self)
            clients[plan.flush.client] = self._flusher
        return clients

    def _make_nodes(self, factory: ProcessFactory) -> dict[GroupId, Any]:
        plan = self._plan
        nodes: dict[GroupId, Node] = {}
        for group in plan.groups:
            node = nodes[group] = self._make_node(factory(group))
            if self.recorder is not None:
                self.recorder.process(node.name, group)
        for node in nodes.values():
            node.connect(self._links(plan.placement[node.group], plan.groups))
        return nodes

    def _make_node(self, process: Process[Any, Any]) -> Node:
        plan = self._plan
        if process.instances or process.unlogged or plan.log_period_us:
            return LogNode(process, self, plan.network, plan.log_period_us)
        return Node(process, self, plan.network)

    def _links(self, site: Site, groups: Iterable[GroupId]) -> dict[GroupId, Link]:
        plan = self._plan
        bandwidth = plan.network.bandwidth_bytes_s
        uplink = None if bandwidth is None else Uplink(bandwidth)
        return {
            group: plan.network.link(site, plan.placement[group], self._random, uplink)
            for group in groups
        }

    def connect_client(self, site: Site, group: GroupId) -> tuple[Link, Link]:
        """The way to a group and back. Clients have lines of their own, which are never full."""
        network, place = self._plan.network, self._plan.placement[group]
        forth = network.link(site, place, self._random, None)
        return forth, network.link(place, site, self._random, None)

    # Running.

    def run(self, progress: Progress | None = None) -> Outcome:
        """Let clients send, then go on until nothing is left to happen."""
        for node in self.nodes.values():
            node.start()
        for client in self.clients.values():
            client.start()
        events = idle = 0
        signs = self._signs_of_life()
        while self._heap and idle <= self._patience():
            some = self._run_some(EVENTS_PER_REPORT)
            events += some
            before, signs = signs, self._signs_of_life()
            idle = idle + some if signs == before else 0
            self._refuse_standstill()
            if progress is not None:
                progress(self._share_done())
        return self._outcome(events, drained=not self._heap)

    def _signs_of_life(self) -> tuple[int, int, int]:
        return self._sent(), self.latencies.completed, self._replied_us

    def _patience(self) -> int:
        """How many events in a row may pass without a multicast or a reply."""
        unfinished = self._sent() - self.latencies.completed
        pairs = len(self.nodes) ** 2
        return PATIENCE_EVENTS + PATIENCE_EVENTS_PER_MESSAGE * unfinished * pairs

    def _refuse_standstill(self) -> None:
        """Where replies take no time, clients that wait for them never let any pass."""
        at_once = MESSAGES_AT_ONCE_MAX * len(self.clients)
        if self._plan.duration_us is not None and self.now_us == 0 and self._sent() > at_once:
            raise InvalidInput(
                "messages take no time in this set-up, so that a duration never ends: "
                "give a number of messages instead"
            )

    def _sent(self) -> int:
        flushes = self._flusher.sent if self._flusher else 0
        return sum(client.sent for client in self.clients.values()) - flushes

    def _run_some(self, limit: int) -> int:
        """The hot loop: at most `limit` events; how many there were."""
        heap = self._heap
        for done in range(limit):
            if not heap:
                return done
            self.now_us, _, act, argument = heappop(heap)
            act(argument)
        return limit

    def _share_done(self) -> float:
        plan = self._plan
        if plan.messages is not None:
            return 1 - self._unsent / plan.messages
        assert plan.duration_us is not None
        return min(1.0, self.now_us / plan.duration_us)

    def _outcome(self, events: int, drained: bool) -> Outcome:
        nodes = self.nodes.values()
        flushed = self._flusher.sent * len(nodes) if self._flusher else 0
        return Outcome(
            messages=self._sent(),
            completed=self.latencies.completed,
            deliveries=sum(node.delivered for node in nodes) - flushed,
            packets=sum(node.sent for node in nodes),
            events=events,
            # Not the present time: cancelled timers may have been all that was left.
            ended_us=self._replied_us,
            drained=drained,
            latencies=self.latencies,
        )

    # What nodes and clients use.

    def at(self, at_us: int, act: Callable[[Any], object], argument: object) -> None:
        heappush(self._heap, (at_us, self._tickets(), act, argument))

    def after(self, delay_us: int, act: Callable[[Any], object], argument: object) -> None:
        heappush(self._heap, (self.now_us + delay_us, self._tickets(), act, argument))

    def is_sending(self) -> bool:
        """Whether clients still have something to send."""
        if self._unsent < 0:
            return self.now_us < (self._plan.duration_us or 0)
        return self._unsent > 0

    def may_send(self) -> bool:
        """The same, for a client that is about to send."""
        sending = self.is_sending()
        if sending and self._unsent > 0:
            self._unsent -= 1
        return sending

    def payload(self, size: int) -> bytes:
        """Zeros: only their number matters here."""
        found = self._payloads.get(size)
        if found is None:
            found = self._payloads[size] = bytes(size)
        return found

    def size_of(self, message: object) -> int:
        """Bytes on the wire. The same message often goes to several groups in a row."""
        if message is not self._sized:
            self._sized = message
            self._size = len(self._encode(message))
        return self._size

    def record_packet(
        self,
        source: str,
        source_group: GroupId | None,
        target: Endpoint,
        message: Message | Multicast,
        received_us: int | None,
        size: int,
    ) -> None:
        about: tuple[MessageId, ...] = ()
        history: object = None
        if self.packets == "all":
            if isinstance(message, Multicast):
                about = (message.id,)
            else:
                about, history = message.about(), message.about_others()
        assert self.recorder is not None
        self.recorder.packet(
            source, target.name, source_group, target.group, kind_of(type(message)), about,
            self.now_us, received_us, size, carries_payload(type(message)),
            None if history is None else len(self._encode(history)),
        )  # fmt: skip

    def record_milestone(self, process: ProcessId, event: Event | LogEvent, kind: str) -> None:
        """The messages that an event is about get as far as this now. Only if `milestones`."""
        assert self.recorder is not None
        for msg in messages_of(event):
            self.recorder.milestone(process, msg, kind, self.now_us)

    def note_reply(self, multicast: Multicast, group: GroupId, sent_us: int, last: bool) -> None:
        self._replied_us = self.now_us
        self.latencies.note(multicast.dst.index(group), sent_us, self.now_us, last)
        if self.recorder is not None:
            self.recorder.reply(multicast.id, group, self.now_us)
